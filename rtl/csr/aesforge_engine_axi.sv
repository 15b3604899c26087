// SPDX-License-Identifier: Apache-2.0
// An engine whose keys and contexts come through AXI4-Lite CSRs (docs/csr.md); packets
// run as in aesforge_engine, or with streams as in aesforge_engine_interleaved. A context reaches
// the engine 2 cycles after its write.
`default_nettype none

module aesforge_engine_axi #(
    // [128, 192, 256] this and all others: see aesforge_engine
    parameter int unsigned KeyBits = 128,
    // [0, 1, 2] CTR and CFB need 0 or 2, CBC 1 or 2; unused with streams
    parameter int unsigned Direction = aesforge_pkg::Encrypt,
    parameter int unsigned Unroll = 10,  // [a divisor of Nr] rounds in hardware
    parameter int unsigned SboxStyle = aesforge_pkg::SboxTower,  // [a style] S-boxes of the rounds
    // [a style] S-boxes of the key schedule
    parameter int unsigned KeySboxStyle = aesforge_pkg::SboxTower,
    parameter int unsigned SboxStages = 1,  // [0 or more] pipeline stages in SubBytes
    parameter int unsigned LinearStages = 1,  // [0 to 4] pipeline stages in the rest of a round
    parameter int unsigned MixStyle = aesforge_pkg::MixXtime,  // [0, 1, 2] see aesforge_mix_column
    // [0, 2 to 16] 0: a key with each context; else the number of key slots
    parameter int unsigned KeySlots = 0,
    // [1 to 31] rings that take turns; blocks of a beat where `Unroll` is Nr, 1 with streams
    parameter int unsigned Tiles = 1,
    parameter int unsigned DelayStyle = aesforge_pkg::DelayRam,  // [0, 1] see aesforge_delay
    // [1 to 15; with streams 4 to 252] see aesforge_mode_forward, with streams
    // aesforge_mode_feedback
    parameter int unsigned Modes = 2,
    // [0 to 256] 0: one packet at a time; else streams that may have a packet open
    parameter int unsigned Streams = 0,
    parameter int unsigned IdBits = 1,  // [1 or more] bits of `tid` without streams
    parameter int unsigned UserBits = 1,  // [1 or more] bits of `tuser` without the error flag
    // [a power of two from 2 on] beats that may be inside; full rate needs the latency, rounded up
    parameter int unsigned Depth = 64,
    // [0 or more] most cycles that a packet waits for its context; 0: forever
    parameter int unsigned ContextTimeout = 1024,
    localparam int unsigned Blocks = Unroll == KeyBits / 32 + 6 && Streams == 0 ? Tiles : 1,
    localparam int unsigned SlotBits = KeySlots > 1 ? $clog2(KeySlots) : 1,
    localparam int unsigned StreamBits = Streams > 1 ? $clog2(Streams) : 1,
    localparam int unsigned TidBits = Streams > 0 ? StreamBits : IdBits
) (
    input  logic                  clk,  // clock
    input  logic                  rst,  // synchronous reset
    input  logic                  s_axil_awvalid,  // write address is present
    output logic                  s_axil_awready,  // it is accepted
    input  logic [           6:0] s_axil_awaddr,  // byte address
    input  logic [           2:0] s_axil_awprot,  // ignored
    input  logic                  s_axil_wvalid,  // write data are present
    output logic                  s_axil_wready,  // they are accepted, together with the address
    input  logic [          31:0] s_axil_wdata,  // data
    input  logic [           3:0] s_axil_wstrb,  // bytes to write
    output logic                  s_axil_bvalid,  // write response is present
    input  logic                  s_axil_bready,  // it is accepted
    output logic [           1:0] s_axil_bresp,  // always 0, okay
    input  logic                  s_axil_arvalid,  // read address is present
    output logic                  s_axil_arready,  // it is accepted
    input  logic [           6:0] s_axil_araddr,  // byte address
    input  logic [           2:0] s_axil_arprot,  // ignored
    output logic                  s_axil_rvalid,  // read data are present
    input  logic                  s_axil_rready,  // they are accepted
    output logic [          31:0] s_axil_rdata,  // data
    output logic [           1:0] s_axil_rresp,  // always 0, okay
    input  logic                  s_axis_tvalid,  // a beat is present
    output logic                  s_axis_tready,  // it is accepted
    input  logic [128*Blocks-1:0] s_axis_tdata,  // bytes, byte 0 in bits 7 to 0
    // a bit for each byte: the first bytes in a last beat, all bytes in any other
    input  logic [ 16*Blocks-1:0] s_axis_tkeep,
    input  logic                  s_axis_tlast,  // the packet ends with this beat
    input  logic [   TidBits-1:0] s_axis_tid,  // returned with the beat
    input  logic [  UserBits-1:0] s_axis_tuser,  // returned with the beat, one bit higher
    output logic                  m_axis_tvalid,  // a beat is at the output
    input  logic                  m_axis_tready,  // it is accepted
    // bytes, byte 0 in bits 7 to 0; those not kept are 0
    output logic [128*Blocks-1:0] m_axis_tdata,
    output logic [ 16*Blocks-1:0] m_axis_tkeep,  // `tkeep` of the input beat
    output logic                  m_axis_tlast,  // `tlast` of the input beat
    output logic [   TidBits-1:0] m_axis_tid,  // `tid` of the input beat
    output logic [    UserBits:0] m_axis_tuser  // bit 0: error; above it `s_axis_tuser`
);
  if (Blocks > 31) begin : gen_bad_blocks
    $error("the registers count up to 31 blocks per beat");
  end

  logic zeroize, push, push_q, load, load_q, beat;
  logic [255:0] key_word;
  logic [127:0] iv_word;
  logic [3:0] load_slot, push_mode, push_slot;
  logic push_decrypt;

  // A copy that waits for the engine, so that software may write the CSRs meanwhile.
  logic ctx_valid_q, ctx_ready, ctx_decrypt_q, key_valid_q, key_ready;
  logic [KeyBits-1:0] ctx_key_q, key_q;
  logic [SlotBits-1:0] ctx_slot_q, key_slot_q;
  logic [127:0] ctx_iv_q;
  logic [2:0] ctx_mode_q;
  always_ff @(posedge clk) begin
    // The fields change in the cycle after the write.
    push_q <= push;
    load_q <= load;
    if (ctx_ready) ctx_valid_q <= 1'b0;
    if (push_q && (!ctx_valid_q || ctx_ready)) begin
      ctx_valid_q <= 1'b1;
      ctx_key_q <= key_word[KeyBits-1:0];
      ctx_slot_q <= push_slot[SlotBits-1:0];
      ctx_iv_q <= iv_word;
      ctx_mode_q <= push_mode[2:0];
      ctx_decrypt_q <= push_decrypt;
    end
    if (key_ready) key_valid_q <= 1'b0;
    if (load_q && (!key_valid_q || key_ready)) begin
      key_valid_q <= 1'b1;
      key_q <= key_word[KeyBits-1:0];
      key_slot_q <= load_slot[SlotBits-1:0];
    end
    if (zeroize) begin
      ctx_key_q <= '0;
      ctx_iv_q <= '0;
      key_q <= '0;
    end
    if (rst || zeroize) begin
      push_q <= 1'b0;
      load_q <= 1'b0;
      ctx_valid_q <= 1'b0;
      key_valid_q <= 1'b0;
    end
  end

  // A beat counts as the number of blocks with bytes in it, an empty beat as one.
  logic [4:0] blocks;
  always_comb begin
    blocks = 5'd1;
    for (int i = 1; i < Blocks; i++) blocks = blocks + 5'(m_axis_tkeep[16*i]);
  end

  assign beat = m_axis_tvalid && m_axis_tready;
  aesforge_csr u_registers (
      .clk,
      .rst,
      .s_axil_awvalid,
      .s_axil_awready,
      .s_axil_awaddr,
      .s_axil_awprot,
      .s_axil_wvalid,
      .s_axil_wready,
      .s_axil_wdata,
      .s_axil_wstrb,
      .s_axil_bvalid,
      .s_axil_bready,
      .s_axil_bresp,
      .s_axil_arvalid,
      .s_axil_arready,
      .s_axil_araddr,
      .s_axil_arprot,
      .s_axil_rvalid,
      .s_axil_rready,
      .s_axil_rdata,
      .s_axil_rresp,
      .control_zeroize(zeroize),
      .status_context_waits(push_q || ctx_valid_q),
      .status_key_waits(load_q || key_valid_q),
      .errors_packet_hwset(beat && m_axis_tuser[0]),
      .errors_packet_hwclr(zeroize),
      .errors_context_dropped_hwset(push_q && ctx_valid_q && !ctx_ready),
      .errors_context_dropped_hwclr(zeroize),
      .errors_key_dropped_hwset(load_q && key_valid_q && !key_ready),
      .errors_key_dropped_hwclr(zeroize),
      .packets_count_incr(beat && m_axis_tlast),
      .packets_count_hwclr(zeroize),
      .packets_in_error_count_incr(beat && m_axis_tlast && m_axis_tuser[0]),
      .packets_in_error_count_hwclr(zeroize),
      .blocks_count_incr(beat),
      .blocks_count_incrvalue(blocks),
      .blocks_count_hwclr(zeroize),
      .key_word_hwclr(zeroize),
      .key_word,
      .iv_word_hwclr(zeroize),
      .iv_word,
      .load_slot,
      .load_slot_swmod(load),
      .push_mode,
      .push_mode_swmod(push),
      .push_decrypt,
      .push_slot
  );

  if (Streams > 0) begin : gen_interleaved
    aesforge_engine_interleaved #(
        .KeyBits(KeyBits),
        .Unroll(Unroll),
        .SboxStyle(SboxStyle),
        .KeySboxStyle(KeySboxStyle),
        .SboxStages(SboxStages),
        .LinearStages(LinearStages),
        .MixStyle(MixStyle),
        .KeySlots(KeySlots),
        .Tiles(Tiles),
        .DelayStyle(DelayStyle),
        .Modes(Modes),
        .Streams(Streams),
        .UserBits(UserBits),
        .Depth(Depth),
        .ContextTimeout(ContextTimeout)
    ) u_engine (
        .clk,
        .rst,
        .zeroize,
        .s_key_tvalid(key_valid_q),
        .s_key_tready(key_ready),
        .s_key_slot(key_slot_q),
        .s_key_tdata(key_q),
        .s_ctx_tvalid(ctx_valid_q),
        .s_ctx_tready(ctx_ready),
        .s_ctx_key(ctx_key_q),
        .s_ctx_slot(ctx_slot_q),
        .s_ctx_iv(ctx_iv_q),
        .s_ctx_mode(ctx_mode_q),
        .s_ctx_decrypt(ctx_decrypt_q),
        .s_axis_tvalid,
        .s_axis_tready,
        .s_axis_tdata,
        .s_axis_tkeep,
        .s_axis_tlast,
        .s_axis_tid,
        .s_axis_tuser,
        .m_axis_tvalid,
        .m_axis_tready,
        .m_axis_tdata,
        .m_axis_tkeep,
        .m_axis_tlast,
        .m_axis_tid,
        .m_axis_tuser
    );
  end else begin : gen_engine
    aesforge_engine #(
        .KeyBits(KeyBits),
        .Direction(Direction),
        .Unroll(Unroll),
        .SboxStyle(SboxStyle),
        .KeySboxStyle(KeySboxStyle),
        .SboxStages(SboxStages),
        .LinearStages(LinearStages),
        .MixStyle(MixStyle),
        .KeySlots(KeySlots),
        .Tiles(Tiles),
        .DelayStyle(DelayStyle),
        .Modes(Modes),
        .IdBits(IdBits),
        .UserBits(UserBits),
        .Depth(Depth),
        .ContextTimeout(ContextTimeout)
    ) u_engine (
        .clk,
        .rst,
        .zeroize,
        .s_key_tvalid(key_valid_q),
        .s_key_tready(key_ready),
        .s_key_slot(key_slot_q),
        .s_key_tdata(key_q),
        .s_ctx_tvalid(ctx_valid_q),
        .s_ctx_tready(ctx_ready),
        .s_ctx_key(ctx_key_q),
        .s_ctx_slot(ctx_slot_q),
        .s_ctx_iv(ctx_iv_q),
        .s_ctx_mode(ctx_mode_q[1:0]),
        .s_ctx_decrypt(ctx_decrypt_q),
        .s_axis_tvalid,
        .s_axis_tready,
        .s_axis_tdata,
        .s_axis_tkeep,
        .s_axis_tlast,
        .s_axis_tid,
        .s_axis_tuser,
        .m_axis_tvalid,
        .m_axis_tready,
        .m_axis_tdata,
        .m_axis_tkeep,
        .m_axis_tlast,
        .m_axis_tid,
        .m_axis_tuser
    );
    logic unused_mode;
    assign unused_mode = &{1'b0, ctx_mode_q};
  end

  // Bits of the CSRs beyond the key size, the slot number or the modes are unused.
  logic unused_ok;
  assign unused_ok = &{1'b0, key_word, push_slot, load_slot, push_mode};
endmodule

`default_nettype wire
