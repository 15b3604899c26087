// SPDX-License-Identifier: Apache-2.0
// Cipher() and InvCipher() (FIPS 197 Sec. 5.1 and 5.3): a loop of Unroll rounds, a plain pipeline
// if Unroll is Nr. The key schedule runs beside it, or its round keys are stored.
// Latency Nr x (SboxStages + LinearStages) + 1; Unroll / Nr beats per cycle.
`default_nettype none

module aesforge_cipher #(
    parameter int unsigned KeyBits = 128,  // [128, 192, 256] key size
    // [0, 1, 2] 0 encrypt, 1 decrypt, 2 either, chosen by `in_decrypt`
    parameter int unsigned Direction = aesforge_pkg::Encrypt,
    parameter int unsigned Unroll = 10,  // [a divisor of Nr] rounds in hardware
    // [a style] S-boxes of the rounds, see aesforge_sbox
    parameter int unsigned SboxStyle = aesforge_pkg::SboxTable,
    // [a style] S-boxes of the key schedule
    parameter int unsigned KeySboxStyle = aesforge_pkg::SboxTable,
    // [0 or more; 1 or more for `bram`] pipeline stages in SubBytes and SubWord
    parameter int unsigned SboxStages = 1,
    // [0 to 4] pipeline stages in the rest of a round; at least 1 in all, except for a pipeline of
    // agile keys
    parameter int unsigned LinearStages = 1,
    parameter int unsigned MixStyle = aesforge_pkg::MixXtime,  // [0, 1, 2] see aesforge_mix_column
    // [0, 2 to 16] 0: agile, a key with each block; else the number of key slots
    parameter int unsigned KeySlots = 0,
    // [1 or more] pipelines that run in lock step under one key
    parameter int unsigned BlocksPerBeat = 1,
    parameter int unsigned TagBits = 8,  // [1 or more] bits that travel with a block
    // [0, 1] how delays of tags are built, see aesforge_delay
    parameter int unsigned DelayStyle = aesforge_pkg::DelayRegister,
    // [0, 1] 1: `in_window` holds the sums of a `Summed` aesforge_key_last
    parameter bit Summed = 1'b0,
    localparam int unsigned SlotBits = KeySlots > 1 ? $clog2(KeySlots) : 1
) (
    input  logic                         clk,  // clock
    input  logic                         rst,  // discards all blocks
    input  logic                         zeroize,  // discards all blocks and overwrites the ring
    // during `zeroize`: the place of the stores that is overwritten
    input  logic [                  7:0] zeroize_address,
    input  logic                         in_valid,  // a block is present
    output logic                         in_ready,  // it is accepted: a place is free
    // decrypt it (`Direction` 2 only, else ignored)
    input  logic                         in_decrypt,
    input  logic [         SlotBits-1:0] in_slot,  // slot of its key (stored keys only)
    // agile keys: key of the block, or the last window of its key to decrypt
    input  logic [          KeyBits-1:0] in_window,
    input  logic [128*BlocksPerBeat-1:0] in_block,  // block; block i in bits 128 i and up
    input  logic [          TagBits-1:0] in_tag,  // tag
    // a round key for the stores (stored keys only)
    input  logic                         write_valid,
    input  logic [                  3:0] write_round,  // number of the round key
    input  logic [         SlotBits-1:0] write_slot,  // slot of the key
    input  logic [                127:0] write_key,  // round key
    // a block is at the output; there is no back-pressure
    output logic                         out_valid,
    output logic [128*BlocksPerBeat-1:0] out_block,  // block
    output logic [          TagBits-1:0] out_tag  // tag of the block
);
  localparam int unsigned Nr = KeyBits / 32 + 6;
  localparam int unsigned Stages = SboxStages + LinearStages;
  localparam int unsigned Passes = Nr / Unroll;
  localparam int unsigned PassBits = Passes > 1 ? $clog2(Passes) : 1;
  localparam int unsigned SideBits = SlotBits + 1;
  localparam bit Stored = KeySlots > 1;
  // Without a register the loop is not closed.
  localparam bit Straight = Stages == 0;
  // The key comes from another key schedule that is zeroized at the same time (aesforge_tile). It
  // is secret until all of that schedule is zeroized, so zeroization feeds zeros instead.
  localparam bit KeyRunsAhead = !Stored && Direction != aesforge_pkg::Encrypt;

  // The slots of the loop. A block at the input of a round reaches its first stage a cycle later
  // (LinearStages > 0). The key schedule starts one cycle earlier, so that round keys come from
  // registers.
  logic enter, done;
  logic [Unroll*PassBits-1:0] pass;
  logic [Unroll*SideBits-1:0] side;
  logic [SideBits-1:0] done_side;
  aesforge_sequencer #(
      .Unroll(Unroll),
      .Stages(Stages),
      .Passes(Passes),
      .SideBits(SideBits),
      .SideUsed({Direction == aesforge_pkg::Both, {SlotBits{Stored}}})
  ) u_sequencer (
      .clk,
      .rst,
      .zeroize,
      .in_valid,
      .in_ready,
      .in_side({in_decrypt, in_slot}),
      .enter,
      .pass,
      .side,
      .done,
      .done_side
  );

  // Round keys.
  logic [127:0] first_key;
  logic [127:0] round_key_pre[0:Unroll-1];
  logic [127:0] round_key_post[0:Unroll-1];
  if (Stored) begin : gen_stored
    // A ring has few stores. In a pipeline round keys go from one store to the next, a cycle for
    // each, and a block takes as long or longer: none of their wires spans all rounds. There
    // zeroization is a write of zeros to all stores, and each stage decides for the next store.
    logic [Unroll-1:0] forward_valid, backward_valid;
    logic first_forward_valid, first_backward_valid, store_zeroize;
    logic [SlotBits-1:0] store_slot[0:Unroll-1];
    logic [127:0] store_key[0:Unroll-1];
    if (Passes > 1) begin : gen_direct
      assign forward_valid = {Unroll{write_valid}};
      assign backward_valid = {Unroll{write_valid}};
      assign first_forward_valid = write_valid && write_round == 4'd0;
      assign first_backward_valid = write_valid && write_round == 4'(Nr);
      assign store_zeroize = zeroize;
      for (genvar u = 0; u < Unroll; u++) begin : gen_store_write
        assign store_slot[u] = write_slot;
        assign store_key[u]  = write_key;
      end
    end else begin : gen_chain
      assign store_zeroize = 1'b0;
      logic [Unroll-1:0] valid_q, all_q;
      logic [3:0] round_q[0:Unroll-1];
      always_ff @(posedge clk) begin
        valid_q <= Unroll'({valid_q, write_valid || zeroize});
        all_q <= Unroll'({all_q, zeroize});
        round_q[0] <= write_round;
        store_slot[0] <= zeroize ? zeroize_address[SlotBits-1:0] : write_slot;
        store_key[0] <= zeroize ? '0 : write_key;
        for (int u = 1; u < Unroll; u++) begin
          round_q[u]   <= round_q[u-1];
          store_slot[u] <= store_slot[u-1];
          store_key[u] <= store_key[u-1];
        end
        first_forward_valid <= zeroize || (write_valid && write_round == 4'd0);
        first_backward_valid <= zeroize || (write_valid && write_round == 4'(Nr));
        forward_valid[0] <= zeroize || (write_valid && write_round == 4'd1);
        backward_valid[0] <= zeroize || (write_valid && write_round == 4'(Nr - 1));
        for (int u = 1; u < Unroll; u++) begin
          forward_valid[u] <= valid_q[u-1] && (all_q[u-1] || round_q[u-1] == 4'(u + 1));
          backward_valid[u] <= valid_q[u-1] && (all_q[u-1] || round_q[u-1] == 4'(Nr - u - 1));
        end
        if (rst) begin
          {valid_q, forward_valid, backward_valid} <= '0;
          {first_forward_valid, first_backward_valid} <= '0;
        end
      end
      logic unused_ok;
      assign unused_ok = &{1'b0, zeroize_address, valid_q[Unroll-1], all_q[Unroll-1]};
    end

    // The keys of the first AddRoundKey, in the cycle in which the slot is known: of two slots in
    // registers, one level of logic with the XOR; of more in RAM where a pipeline needs the speed.
    logic decrypt;
    assign decrypt = Direction == aesforge_pkg::Decrypt
        || (Direction == aesforge_pkg::Both && in_decrypt);
    if (Passes == 1 && KeySlots > 2) begin : gen_first_ram
      for (genvar backward = 0; backward < 2; backward++) begin : gen_way
        logic [127:0] round_key;
        if (Direction == aesforge_pkg::Both
            || backward == int'(Direction == aesforge_pkg::Decrypt)) begin : gen_store
          aesforge_key_store #(
              .Nr(Nr),
              .First(0),
              .Stride(Unroll),
              .Slots(KeySlots),
              .OutputRegister(1'b0)
          ) u_key_store (
              .clk,
              .write_valid(backward == 1 ? first_backward_valid : first_forward_valid),
              .write_round('0),
              .write_slot(store_slot[0]),
              .write_key(store_key[0]),
              .zeroize(1'b0),
              .zeroize_address('0),
              .slot(in_slot),
              .pass(1'b0),
              .round_key
          );
        end else begin : gen_store
          assign round_key = '0;
        end
      end
      assign first_key = decrypt ? gen_way[1].round_key : gen_way[0].round_key;
    end else begin : gen_first_registers
      logic [127:0] first_forward[0:KeySlots-1];
      logic [127:0] first_backward[0:KeySlots-1];
      always_ff @(posedge clk) begin
        for (int s = 0; s < KeySlots; s++) begin
          if (store_zeroize) begin
            first_forward[s] <= '0;
            first_backward[s] <= '0;
          end else if (store_slot[0] == SlotBits'(s)) begin
            if (first_forward_valid) first_forward[s] <= store_key[0];
            if (first_backward_valid) first_backward[s] <= store_key[0];
          end
        end
      end
      logic [KeySlots-1:0] key_bits[0:127];
      always_comb begin
        for (int b = 0; b < 128; b++) begin
          for (int s = 0; s < KeySlots; s++) begin
            key_bits[b][s] = in_slot == SlotBits'(s)
                && (decrypt ? first_backward[s][b] : first_forward[s][b]);
          end
          first_key[b] = |key_bits[b];
        end
      end
    end

    for (genvar u = 0; u < Unroll; u++) begin : gen_store
      if (Direction != aesforge_pkg::Decrypt) begin : gen_forward
        aesforge_key_store #(
            .Nr(Nr),
            .First(u + 1),
            .Stride(Unroll),
            .Backward(1'b0),
            .Slots(KeySlots),
            .ReadDelay(Stages - 1)
        ) u_key_store (
            .clk,
            .write_valid(forward_valid[u]),
            .write_round(Passes > 1 ? write_round : 4'(u + 1)),
            .write_slot(store_slot[u]),
            .write_key(store_key[u]),
            .zeroize(store_zeroize),
            .zeroize_address,
            .slot(side[SideBits*u+:SlotBits]),
            .pass(pass[PassBits*u+:PassBits]),
            .round_key(round_key_post[u])
        );
      end else begin : gen_forward
        assign round_key_post[u] = '0;
      end
      if (Direction != aesforge_pkg::Encrypt) begin : gen_backward
        aesforge_key_store #(
            .Nr(Nr),
            .First(u + 1),
            .Stride(Unroll),
            .Backward(1'b1),
            .Slots(KeySlots),
            .ReadDelay(LinearStages > 0 ? SboxStages : SboxStages - 1)
        ) u_key_store (
            .clk,
            .write_valid(backward_valid[u]),
            .write_round(Passes > 1 ? write_round : 4'(Nr - u - 1)),
            .write_slot(store_slot[u]),
            .write_key(store_key[u]),
            .zeroize(store_zeroize),
            .zeroize_address,
            .slot(side[SideBits*u+:SlotBits]),
            .pass(pass[PassBits*u+:PassBits]),
            .round_key(round_key_pre[u])
        );
      end else begin : gen_backward
        assign round_key_pre[u] = '0;
      end
    end
    logic unused_ok;
    assign unused_ok = &{
      1'b0, in_window, forward_valid, backward_valid, first_forward_valid, first_backward_valid
    };
  end else begin : gen_agile
    logic [KeyBits-1:0] window_entry, window_end;
    assign first_key = in_window[KeyBits-1-:128] ^ (Summed ? 128'(in_window[63:32]) : '0);
    assign window_entry = KeyRunsAhead && !Summed && zeroize ? '0
        : Straight ? in_window : enter ? in_window : window_end;
    for (genvar u = 0; u < Unroll; u++) begin : gen_key_round
      logic decrypt;
      logic [3:0] round;
      logic [KeyBits-1:0] window_i, window_o;
      if (u == 0) begin : gen_first
        assign window_i = window_entry;
      end else begin : gen_next
        assign window_i = gen_key_round[u-1].window_o;
      end
      assign decrypt = Direction == aesforge_pkg::Decrypt
          || (Direction == aesforge_pkg::Both && side[SideBits*u+SlotBits]);
      assign round = 4'(Unroll) * 4'(pass[PassBits*u+:PassBits]) + 4'(u + 1);
      aesforge_key_round #(
          .KeyBits(KeyBits),
          .Direction(Direction),
          .SboxStyle(KeySboxStyle),
          .SboxStages(SboxStages),
          .LinearStages(LinearStages),
          .Summed(Summed)
      ) u_key_round (
          .clk,
          .decrypt,
          .hold(1'b0),
          .step(decrypt ? 4'(Nr + 1) - round : round),
          .window_i,
          .round_key_pre(round_key_pre[u]),
          .round_key_post(round_key_post[u]),
          .window_o
      );
    end
    assign window_end = gen_key_round[Unroll-1].window_o;
    logic unused_ok;
    assign unused_ok = &{
      1'b0, write_valid, write_round, write_slot, write_key, zeroize_address, side
    };
  end

  // State. The first AddRoundKey takes no cycle of its own.
  for (genvar block_index = 0; block_index < BlocksPerBeat; block_index++) begin : gen_block
    logic [127:0] state_entry, state_end;
    assign state_entry = KeyRunsAhead && zeroize ? '0
        : Straight ? in_block[128*block_index+:128] ^ first_key
        : enter ? in_block[128*block_index+:128] ^ first_key : state_end;
    for (genvar u = 0; u < Unroll; u++) begin : gen_round
      logic last;
      logic [127:0] state_i, state_o;
      if (u == 0) begin : gen_first
        assign state_i = state_entry;
      end else begin : gen_next
        assign state_i = gen_round[u-1].state_o;
      end
      if (u < Unroll - 1) begin : gen_last
        assign last = 1'b0;
      end else if (Passes == 1) begin : gen_last
        assign last = 1'b1;
      end else begin : gen_last
        assign last = pass[PassBits*u+:PassBits] == PassBits'(Passes - 1);
      end
      aesforge_round #(
          .Direction(Direction),
          .SboxStyle(SboxStyle),
          .SboxStages(SboxStages),
          .LinearStages(LinearStages),
          .MixStyle(MixStyle)
      ) u_round (
          .clk,
          .decrypt(side[SideBits*u+SlotBits]),
          .last,
          .state_i,
          .round_key_pre(round_key_pre[u]),
          .round_key_post(round_key_post[u]),
          .state_o
      );
    end
    assign state_end = gen_round[Unroll-1].state_o;

    // Output. A loop holds out_block until the next block is done, as the loop itself has blocks
    // between two passes. A pipeline needs neither enable nor zeroization here: the next cycle
    // overwrites the block, and the fan-out of enable and reset would be the critical path.
    always_ff @(posedge clk) begin
      if (Passes == 1 || done) out_block[128*block_index+:128] <= state_end;
      if (Passes > 1 && zeroize) out_block[128*block_index+:128] <= '0;
    end
  end
  always_ff @(posedge clk) begin
    out_valid <= done;
    if (rst) out_valid <= 1'b0;
  end

  // Tag.
  logic [TagBits-1:0] tag, tag_end;
  assign tag = Straight ? in_tag : enter ? in_tag : tag_end;
  aesforge_delay #(
      .Width(TagBits),
      .Depth(Unroll * Stages),
      .Style(DelayStyle)
  ) u_tag (
      .clk,
      .rst,
      .d(tag),
      .q(tag_end)
  );
  always_ff @(posedge clk) begin
    if (Passes == 1 || done) out_tag <= tag_end;
  end

  logic unused_ok;
  assign unused_ok = &{1'b0, done_side, side, in_decrypt};
endmodule

`default_nettype wire
