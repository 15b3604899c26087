// SPDX-License-Identifier: Apache-2.0
// The modes in which a block waits for a result of its own packet (SP 800-38A, SP 800-38B): CBC
// encryption, CFB (128 and 8 bits) and OFB in both directions, CBC-MAC, CMAC; for several streams,
// each with one beat in flight at most. Latency 3 cycles besides the core's; one block per cycle.
`default_nettype none

module aesforge_mode_feedback #(
    // [4 to 252, a multiple of 4] the sum of the modes built in: 4 CBC encryption, 8 CFB, 16 OFB,
    // 32 CFB8, 64 CBC-MAC, 128 CMAC
    parameter int unsigned Modes = 4,
    // [1 to 256] streams that may have a packet open: `tid` 0 to `Streams` - 1
    parameter int unsigned Streams = 16,
    // [1 or more] bits that travel with a block to the core: key or slot
    parameter int unsigned WindowBits = 1,
    localparam int unsigned StreamBits = Streams > 1 ? $clog2(Streams) : 1
) (
    input  logic                  clk,  // clock
    input  logic                  rst,  // synchronous reset
    input  logic                  zeroize,  // discards everything within 2^`StreamBits` + 2 cycles
    // the shell may send no beat: a block returns to the core two cycles later
    output logic                  beat_hold,
    // stream of the beat that may be present in the next cycle
    input  logic [StreamBits-1:0] head_stream,
    input  logic                  beat_valid,  // a beat is present
    input  logic [StreamBits-1:0] beat_stream,  // its stream, which has no beat in flight
    input  logic                  beat_first,  // first beat of its packet
    input  logic                  beat_last,  // last beat of its packet
    input  logic [          15:0] beat_keep,  // a bit for each byte, bit 0 for byte 0
    input  logic [         127:0] beat_data,  // its bytes, byte 0 at the top
    // 2 CBC, 3 CFB, 4 OFB, 5 CFB8, 6 CBC-MAC, 7 CMAC; ignored where only one is built in
    input  logic [           2:0] beat_mode,
    input  logic                  beat_decrypt,  // decrypt (CFB, CFB8)
    input  logic [         127:0] beat_iv,  // IV of its packet; unused by the MACs
    // passed to the core with each block of the beat of the cycle before
    input  logic [WindowBits-1:0] late_window,
    output logic                  core_valid,  // a block for the core, which always accepts it
    output logic [StreamBits-1:0] core_stream,  // its stream
    output logic [WindowBits-1:0] core_window,  // `late_window` of its beat
    output logic [         127:0] core_block,  // block
    input  logic                  out_valid,  // the core's result is present
    input  logic [StreamBits-1:0] out_stream,  // its stream
    input  logic [         127:0] out_block,  // block
    output logic                  result_valid,  // the beat in flight of a stream is done
    output logic [StreamBits-1:0] result_stream,  // the stream
    // the beat's result; for a MAC, the MAC if the packet ended here
    output logic [         127:0] result_data
);
  localparam bit HasCbc = (Modes >> aesforge_pkg::ModeCbc) % 2 == 1;
  localparam bit HasCfb = (Modes >> aesforge_pkg::ModeCfb) % 2 == 1;
  localparam bit HasOfb = (Modes >> aesforge_pkg::ModeOfb) % 2 == 1;
  localparam bit HasCfb8 = (Modes >> aesforge_pkg::ModeCfb8) % 2 == 1;
  localparam bit HasCbcMac = (Modes >> aesforge_pkg::ModeCbcMac) % 2 == 1;
  localparam bit HasCmac = (Modes >> aesforge_pkg::ModeCmac) % 2 == 1;
  // With one mode there is nothing to choose, and synthesis sees constants.
  localparam bit Single = (Modes & (Modes - 1)) == 0;
  // Beats that call the core more than once; modes that add the beat to a result.
  localparam bit Again = HasCfb8 || HasCmac;
  localparam bit Adds = HasCfb || HasOfb || Again;

  if (Modes == 0 || Modes % 4 != 0 || Modes > 252) begin : gen_bad_modes
    $error("modes must be a sum of 4 CBC, 8 CFB, 16 OFB, 32 CFB8, 64 CBC-MAC and 128 CMAC");
  end

  // SP 800-38B Sec. 6.1: multiplication by x.
  function automatic logic [127:0] double(input logic [127:0] block);
    double = {block[126:0], 1'b0} ^ (block[127] ? 128'h87 : 128'h0);
  endfunction

  // Zeroization goes over all streams.
  logic [StreamBits-1:0] walk_q;
  always_ff @(posedge clk) begin
    walk_q <= walk_q + 1'b1;
    if (rst) walk_q <= '0;
  end

  // --- What a stream's last beat left: the block that enters the next one. It leaves its RAM
  // through a second register, which block RAM has, and joins the next beat only before the core.
  // None is read in the cycle in which it is written: the stream's next beat comes after that.
  logic next_valid_q;
  logic [StreamBits-1:0] next_stream_q;
  logic [127:0] next_q, chain_q, late_chain_q;
  (* no_rw_check *)
  logic [127:0] chains[0:Streams-1];
  always_ff @(posedge clk) begin
    chain_q <= chains[head_stream];
    late_chain_q <= chain_q;
    if (zeroize || next_valid_q) chains[zeroize?walk_q : next_stream_q] <= next_q;
  end

  // --- A beat: what enters the core, what waits beside it, and how many calls are to follow.
  logic cbc, cfb, ofb, cfb8, cmac, mac;
  assign cbc = HasCbc && (Single || beat_mode == 3'(aesforge_pkg::ModeCbc));
  assign cfb = HasCfb && (Single || beat_mode == 3'(aesforge_pkg::ModeCfb));
  assign ofb = HasOfb && (Single || beat_mode == 3'(aesforge_pkg::ModeOfb));
  assign cfb8 = HasCfb8 && (Single || beat_mode == 3'(aesforge_pkg::ModeCfb8));
  assign cmac = HasCmac && (Single || beat_mode == 3'(aesforge_pkg::ModeCmac));
  assign mac = cmac || (HasCbcMac && (Single || beat_mode == 3'(aesforge_pkg::ModeCbcMac)));
  // What the packet begins with.
  logic [127:0] start;
  assign start = beat_first && !mac ? beat_iv : '0;

  // SP 800-38B Sec. 6.2, step 4: a 1 and zeros after a last block that is not full.
  logic [127:0] padded;
  always_comb begin
    for (int i = 0; i < 16; i++) begin
      padded[127-8*i-:8] = beat_keep[i] ? beat_data[127-8*i-:8] : 8'h00;
      if (!beat_keep[i] && (i == 0 || beat_keep[i>0?i-1 : 0])) padded[127-8*i-:8] = 8'h80;
    end
  end
  // Bytes of the beat, less one.
  logic [3:0] bytes;
  always_comb begin
    bytes = '0;
    for (int i = 1; i < 16; i++) if (beat_keep[i]) bytes = 4'(i);
  end

  // The chain is added later, where these say so.
  localparam int unsigned InfoBits = 13;
  logic block_chains, wait_chains;
  logic [127:0] beat_block, beat_wait;
  logic [InfoBits-1:0] beat_info;
  // CMAC's last block waits for the subkey, which the first call gives.
  assign block_chains = !beat_first && !(cmac && beat_last);
  assign wait_chains = !beat_first && cmac;
  assign beat_block = cmac && beat_last ? '0 : (cbc || mac ? beat_data : '0) ^ start;
  assign beat_wait = cmac ? padded : beat_data;
  assign beat_info = {
    {cfb, ofb, cfb8},
    beat_decrypt,
    beat_keep[15],
    cfb8 ? bytes : cmac && beat_last ? 4'd1 : 4'd0,
    bytes
  };

  // --- To the core; what comes back for another call goes before new beats.
  logic again_q, block_chains_q;
  logic [InfoBits-1:0] again_info, core_info;
  logic [127:0] block_q;
  always_ff @(posedge clk) begin
    core_valid <= beat_valid || again_q;
    core_stream <= again_q ? result_stream : beat_stream;
    core_info <= again_q ? again_info : beat_info;
    block_q <= again_q ? next_q : beat_block;
    block_chains_q <= !again_q && block_chains && !zeroize;
    if (zeroize) block_q <= '0;
    if (rst || zeroize) core_valid <= 1'b0;
  end
  assign core_block = block_q ^ (block_chains_q ? late_chain_q : '0);

  // --- Beside the core, for each stream; read when its block comes back.
  logic [StreamBits-1:0] write_stream;
  logic write, back_q;
  logic [StreamBits-1:0] back_stream_q;
  logic [InfoBits-1:0] back_info_q;
  logic [InfoBits-1:0] infos[0:Streams-1];
  logic [127:0] back_block, back_wait, back_in;
  assign write = zeroize || core_valid;
  assign write_stream = zeroize ? walk_q : core_stream;
  always_ff @(posedge clk) begin
    if (write) infos[write_stream] <= core_info;
    back_q <= out_valid;
    back_stream_q <= out_stream;
    back_info_q <= infos[out_stream];
    back_block <= out_block;
    if (zeroize) back_block <= '0;
    if (rst || zeroize) back_q <= 1'b0;
  end
  if (Adds) begin : gen_wait
    logic wait_chains_q;
    logic [127:0] wait_q, waits_q;
    logic [127:0] waits[0:Streams-1];
    always_ff @(posedge clk) begin
      wait_q <= again_q ? result_data : beat_wait;
      wait_chains_q <= !again_q && wait_chains && !zeroize;
      if (write) waits[write_stream] <= wait_q ^ (wait_chains_q ? late_chain_q : '0);
      waits_q <= waits[out_stream];
      if (zeroize) begin
        wait_q  <= '0;
        waits_q <= '0;
      end
    end
    assign back_wait = waits_q;
  end else begin : gen_no_wait
    assign back_wait = '0;
    logic unused_ok;
    assign unused_ok = &{1'b0, beat_wait, wait_chains};
  end
  if (HasCfb8) begin : gen_in
    logic [127:0] in_q;
    logic [127:0] ins[0:Streams-1];
    always_ff @(posedge clk) begin
      if (write) ins[write_stream] <= core_block;
      in_q <= ins[out_stream];
      if (zeroize) in_q <= '0;
    end
    assign back_in = in_q;
  end else begin : gen_no_in
    assign back_in = '0;
  end
  if (Again) begin : gen_again
    logic late_again_q;
    logic [WindowBits-1:0] window_q, again_window_q, late_window_q;
    logic [WindowBits-1:0] windows[0:Streams-1];
    logic [InfoBits-1:0] again_info_q;
    always_ff @(posedge clk) begin
      if (write) windows[write_stream] <= core_window;
      window_q <= windows[out_stream];
      again_window_q <= window_q;
      late_window_q <= again_window_q;
      again_info_q <= back_info_q - InfoBits'(16);
      again_q <= beat_hold;
      late_again_q <= again_q;
      if (zeroize) begin
        window_q <= '0;
        again_window_q <= '0;
        late_window_q <= '0;
      end
      if (rst || zeroize) {again_q, late_again_q} <= '0;
    end
    assign core_window = late_again_q ? late_window_q : late_window;
    assign again_info = again_info_q;
    assign beat_hold = back_q && back_info_q[7:4] != '0;
  end else begin : gen_once
    assign again_q = 1'b0;
    assign core_window = late_window;
    assign again_info = '0;
    assign beat_hold = 1'b0;
  end

  // --- What comes of a block.
  logic back_cfb, back_ofb, back_cfb8, back_decrypt, back_full, back_cmac;
  logic [3:0] back_left, back_place;
  assign {back_cfb, back_ofb, back_cfb8} = back_info_q[12:10];
  assign {back_decrypt, back_full, back_left, back_place} = back_info_q[9:0];
  // The first call of CMAC's last block.
  assign back_cmac = HasCmac && !back_cfb8 && back_left != '0;
  logic [127:0] sum, shifted, result, subkey, next;
  logic [7:0] plain;
  assign sum = back_wait ^ back_block;
  // CFB8 (SP 800-38A Sec. 6.3, s = 8): the byte in turn is at the top, and comes out after the
  // others; the ciphertext byte enters the shift register at its end.
  always_comb begin
    for (int i = 0; i < 16; i++) begin
      shifted[127-8*i-:8] = back_place == 4'(i) || i == 15
          ? sum[127-:8] : back_wait[127-8*(i<15?i+1 : i)-:8];
    end
  end
  assign plain = back_wait[127-:8];
  assign result = HasCfb8 && back_cfb8 ? shifted
      : (HasCfb && back_cfb) || (HasOfb && back_ofb) ? sum : back_block;
  // SP 800-38B Sec. 6.1: K1 for a full last block, else K2.
  assign subkey = back_full ? double(back_block) : double(double(back_block));
  assign next = HasCfb8 && back_cfb8 ? {back_in[119:0], back_decrypt ? plain : sum[127-:8]}
      : back_cmac ? back_wait ^ subkey
      : HasCfb && back_cfb ? (back_decrypt ? back_wait : sum) : back_block;
  always_ff @(posedge clk) begin
    next_valid_q <= back_q;
    result_valid <= back_q && !beat_hold;
    next_stream_q <= back_stream_q;
    result_data <= result;
    next_q <= next;
    if (zeroize) begin
      result_data <= '0;
      next_q <= '0;
    end
    if (rst || zeroize) {next_valid_q, result_valid} <= 2'b00;
  end
  assign result_stream = next_stream_q;

  logic unused_ok;
  assign unused_ok = &{
    1'b0, beat_mode, padded, ofb, cfb, cbc, cfb8, mac, cmac, back_in, back_ofb, back_cfb, back_cmac,
    back_place, back_left, back_full, back_decrypt, shifted, plain, sum, subkey, back_wait,
    again_info
  };
endmodule

`default_nettype wire
