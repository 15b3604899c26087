// SPDX-License-Identifier: Apache-2.0
// aesforge_engine_interleaved between two sides that do what they like, as long as they keep to the
// handshake: the beats of a stream that is followed, any stream, come out in order, each as the
// mode's function of its packet. stream_core_model.sv stands for the core.
`default_nettype none

module prove_interleaved #(
    parameter int unsigned KeyBits = 128,
    parameter int unsigned Unroll = 10,
    parameter int unsigned SboxStages = 1,
    parameter int unsigned LinearStages = 1,
    parameter int unsigned KeySlots = 0,
    parameter int unsigned Tiles = 1,
    parameter int unsigned Modes = 4,
    parameter int unsigned Streams = 26,
    parameter int unsigned UserBits = 1,
    parameter int unsigned Depth = 32,
    parameter int unsigned ContextTimeout = 1024,
    // latency of the core, which its own proof shows
    parameter int unsigned CoreLatency = 21,
    // 1: the core's results are arbitrary, and also asserted is that from which all this follows
    // from one cycle to the next; 0: the core is a function, and only the ports count
    parameter bit Steps = 1'b1,
    // 1: asserts that what must be reachable is not
    parameter bit Cover = 1'b0,
    localparam int unsigned Nr = KeyBits / 32 + 6,
    localparam bit Stored = KeySlots > 1,
    localparam int unsigned SlotBits = Stored ? $clog2(KeySlots) : 1,
    localparam int unsigned StreamBits = Streams > 1 ? $clog2(Streams) : 1
) (
    input logic                  clk,
    input logic                  rst,
    input logic                  s_key_tvalid,
    input logic [  SlotBits-1:0] s_key_slot,
    input logic [   KeyBits-1:0] s_key_tdata,
    input logic                  s_ctx_tvalid,
    input logic [   KeyBits-1:0] s_ctx_key,
    input logic [  SlotBits-1:0] s_ctx_slot,
    input logic [         127:0] s_ctx_iv,
    input logic [           2:0] s_ctx_mode,
    input logic                  s_ctx_decrypt,
    input logic                  s_axis_tvalid,
    input logic [         127:0] s_axis_tdata,
    input logic [          15:0] s_axis_tkeep,
    input logic                  s_axis_tlast,
    input logic [StreamBits-1:0] s_axis_tid,
    input logic [  UserBits-1:0] s_axis_tuser,
    input logic                  m_axis_tready,
    // the beat that is followed, chosen when it goes to the modes
    input logic                  mark
);
  localparam int unsigned PlaceBits = $clog2(Depth);
  localparam int unsigned CountBits = PlaceBits + 1;
  localparam int unsigned Places = 2 ** StreamBits;
  if (CoreLatency != Nr * (SboxStages + LinearStages) + 1) begin : gen_bad_latency
    $error("the latency is not that of the core");
  end
  localparam bit HasCfb8 = (Modes >> aesforge_pkg::ModeCfb8) % 2 == 1;
  localparam bit HasCmac = (Modes >> aesforge_pkg::ModeCmac) % 2 == 1;

  logic s_ctx_tready, s_axis_tready, m_axis_tvalid, m_axis_tlast, s_key_tready;
  logic [127:0] m_axis_tdata;
  logic [15:0] m_axis_tkeep;
  logic [StreamBits-1:0] m_axis_tid;
  logic [UserBits:0] m_axis_tuser;
  // It begins with a reset, and the senders wait as the handshake says.
  logic begun = 1'b0, s_stalled = 1'b0, c_stalled = 1'b0;
  wire reset = rst || !begun;
  wire s_tvalid = s_axis_tvalid || s_stalled;
  wire c_tvalid = s_ctx_tvalid || c_stalled;

  aesforge_engine_interleaved #(
      .KeyBits(KeyBits),
      .Unroll(Unroll),
      .SboxStages(SboxStages),
      .LinearStages(LinearStages),
      .KeySlots(KeySlots),
      .Tiles(Tiles),
      .Modes(Modes),
      .Streams(Streams),
      .UserBits(UserBits),
      .Depth(Depth),
      .ContextTimeout(ContextTimeout)
  ) u_engine (
      .clk,
      .rst(reset),
      .zeroize(1'b0),
      .s_key_tvalid,
      .s_key_tready,
      .s_key_slot,
      .s_key_tdata,
      .s_ctx_tvalid(c_tvalid),
      .s_ctx_tready,
      .s_ctx_key,
      .s_ctx_slot,
      .s_ctx_iv,
      .s_ctx_mode,
      .s_ctx_decrypt,
      .s_axis_tvalid(s_tvalid),
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

  // The stream that is followed.
  (* anyconst *) logic [StreamBits-1:0] some_stream;

  // On AXI4-Stream, byte 0 is in the low bits; in the standards it comes first.
  function automatic logic [127:0] swap(input logic [127:0] data);
    for (int i = 0; i < 16; i++) swap[8*i+:8] = data[8*(15-i)+:8];
  endfunction
  function automatic logic [KeyBits-1:0] swap_key(input logic [KeyBits-1:0] data);
    for (int i = 0; i < KeyBits / 8; i++) swap_key[8*i+:8] = data[8*(KeyBits/8-1-i)+:8];
  endfunction
  // A bit for each byte, byte 0 at the top, as a mask.
  function automatic logic [127:0] mask_of(input logic [15:0] keep);
    for (int i = 0; i < 16; i++) mask_of[127-8*i-:8] = {8{keep[i]}};
  endfunction

  // What the engine should do, at its ports.

  // The last key of each slot.
  wire k_push = s_key_tvalid && s_key_tready;
  logic [2**SlotBits-1:0] k_known = '0;
  logic [KeyBits*2**SlotBits-1:0] k_keys;
  for (genvar i = 0; i < 2 ** SlotBits; i++) begin : gen_key
    always_ff @(posedge clk) begin
      if (k_push && s_key_slot == i) begin
        k_known[i] <= i < KeySlots;
        k_keys[KeyBits*i+:KeyBits] <= swap_key(s_key_tdata);
      end
      if (reset) k_known[i] <= 1'b0;
    end
  end

  // Contexts that wait, the first one in `c_first`. `window`: a key, or with stored keys its slot.
  localparam int unsigned WindowBits = Stored ? SlotBits : KeyBits;
  localparam int unsigned ContextBits = WindowBits + 128 + 4;
  logic [1:0] c_inside = '0;
  logic [ContextBits-1:0] c_first, c_second;
  wire [WindowBits-1:0] c_window = Stored ? WindowBits'(s_ctx_slot)
      : WindowBits'(swap_key(s_ctx_key));
  wire [ContextBits-1:0] c_in = {c_window, swap(s_ctx_iv), s_ctx_mode, s_ctx_decrypt};
  wire c_push = c_tvalid && s_ctx_tready;

  // The beat at the head, of any stream. It goes on to the modes when another one may come.
  wire accept = s_tvalid && s_axis_tready;
  wire leave = m_axis_tvalid && m_axis_tready;
  logic [Places-1:0] within = '0;
  logic h = 1'b0, h_first, h_last;
  logic [StreamBits-1:0] h_stream;
  logic [15:0] h_keep;
  logic [UserBits-1:0] h_user;
  logic [127:0] h_data;
  wire go = h && s_axis_tready;
  wire c_pop = go && h_first && c_inside != '0;
  wire beyond = 32'(some_stream) >= Streams;
  wire own_head = h && h_stream == some_stream;
  wire own_go = go && h_stream == some_stream;

  // The open packet of the stream that is followed: its context and key, whether it has a legal
  // one, gives a MAC, and has an error; and what its last block leaves for the next.
  logic open = 1'b0, sure, digest, empty, bad, partial;
  logic [WindowBits-1:0] window;
  logic [127:0] iv, chain;
  logic [2:0] mode;
  logic decrypt;
  logic [KeyBits-1:0] key;

  // The same with the beat that goes on now.
  logic [WindowBits-1:0] window_d;
  logic [127:0] iv_d;
  logic [2:0] mode_d;
  logic decrypt_d;
  assign {window_d, iv_d, mode_d, decrypt_d} = h_first ? c_first : {window, iv, mode, decrypt};
  logic [KeyBits-1:0] slot_key;
  always_comb begin
    slot_key = '0;
    for (int i = 0; i < 2 ** SlotBits; i++) begin
      if (SlotBits'(window_d) == i) slot_key = k_keys[KeyBits*i+:KeyBits];
    end
  end
  wire [KeyBits-1:0] key_d = !h_first ? key : Stored ? slot_key : KeyBits'(window_d);
  wire keyed_d = !Stored || k_known[SlotBits'(window_d)];
  wire built_d = (Modes >> mode_d) % 2 == 1
      && !(mode_d == 3'(aesforge_pkg::ModeCbc) && decrypt_d);
  wire mac_d = mode_d == 3'(aesforge_pkg::ModeCbcMac) || mode_d == 3'(aesforge_pkg::ModeCmac);
  wire sure_d = !beyond && (h_first ? c_inside != '0 && built_d && keyed_d : sure);
  wire digest_d = !beyond && (h_first ? c_inside != '0 && built_d && mac_d : digest);
  wire empty_d = mode_d == 3'(aesforge_pkg::ModeCmac);
  wire partial_d = mode_d != 3'(aesforge_pkg::ModeCbc) && mode_d != 3'(aesforge_pkg::ModeCbcMac);
  // An error: a packet without a context, or with one that the engine cannot serve; bytes kept that
  // are not the first ones; a beat that is not full, but for the last one of a packet, and there
  // part of a block in CBC and CBC-MAC; a packet without bytes, but of CMAC. What follows in the
  // packet is an error too.
  wire hole_d = (h_keep & (h_keep + 16'd1)) != '0;
  wire bad_d = beyond || (h_first ? !sure_d : bad) || hole_d
      || (h_keep != '1 && (!h_last || (h_keep != '0 && !partial_d)))
      || (digest_d && h_keep == '0 && !(h_first && empty_d));
  wire block_d = !bad_d && (h_keep != '0 || digest_d);
  wire shown_d = !digest_d || h_last;
  wire [127:0] chain_d = !h_first ? chain : mac_d ? '0 : iv_d;

  // The beat of the stream that the modes work on. `calls`: how often it calls the cipher, with
  // `p_argument` in the call that is next or under way; `p_before`: what the packet's last block
  // left; `p_out`: the result.
  logic p_on = 1'b0, p_first, p_last, p_bad, p_block, p_shown;
  logic [15:0] p_keep;
  logic [UserBits-1:0] p_user;
  logic [127:0] p_data, p_before, p_argument, p_out;
  logic [4:0] p_call, p_calls;

  // SP 800-38B Sec. 6.1 and 6.2: subkeys, and the last block with its padding.
  function automatic logic [127:0] double(input logic [127:0] block);
    double = (block << 1) ^ (block[127] ? 128'h87 : 128'h0);
  endfunction
  function automatic logic [127:0] pad(input logic [127:0] data, input logic [15:0] keep);
    for (int i = 0; i < 16; i++) begin
      pad[127-8*i-:8] = keep[i] ? data[127-8*i-:8]
          : i == 0 || keep[i==0?0 : i-1] ? 8'h80 : 8'h00;
    end
  endfunction
  // Bytes of a beat.
  function automatic logic [4:0] bytes_of(input logic [15:0] keep);
    bytes_of = '0;
    for (int i = 0; i < 16; i++) bytes_of = bytes_of + 5'(keep[i]);
  endfunction

  // How often a beat calls the cipher, and the first argument (SP 800-38A Sec. 6, SP 800-38B).
  wire cbc_d = mode_d == 3'(aesforge_pkg::ModeCbc);
  wire cmac_last_d = empty_d && h_last;
  wire [4:0] calls_d = mode_d == 3'(aesforge_pkg::ModeCfb8) ? bytes_of(h_keep)
      : cmac_last_d ? 5'd2 : 5'd1;
  wire [127:0] argument_d = cmac_last_d ? '0 : cbc_d || mac_d ? h_data ^ chain_d : chain_d;

  // What a result of the cipher makes of the beat.
  localparam int unsigned BeatBits = 3 * 128;
  function automatic logic [BeatBits-1:0] after(
      input logic [2:0] m, input logic inverse, input logic last, input logic [15:0] keep,
      input logic [127:0] data, input logic [127:0] before, input logic [4:0] call,
      input logic [127:0] argument, input logic [127:0] out, input logic [127:0] result);
    logic [127:0] next_chain, next_argument, next_out;
    logic [7:0] byte_in, byte_out;
    next_argument = argument;
    next_chain = result;
    next_out = result;
    byte_in = '0;
    for (int i = 0; i < 16; i++) if (call == i) byte_in = data[127-8*i-:8];
    byte_out = byte_in ^ result[127-:8];
    case (32'(m))
      aesforge_pkg::ModeCbc: next_out = result;
      aesforge_pkg::ModeCfb: begin
        next_out = data ^ result;
        next_chain = inverse ? data : data ^ result;
      end
      aesforge_pkg::ModeOfb: next_out = data ^ result;
      aesforge_pkg::ModeCfb8: begin
        next_out = out;
        for (int i = 0; i < 16; i++) if (call == i) next_out[127-8*i-:8] = byte_out;
        next_argument = {argument[119:0], inverse ? byte_in : byte_out};
        next_chain = next_argument;
      end
      aesforge_pkg::ModeCmac: if (last && call == '0) begin
        next_argument = before ^ pad(data, keep)
            ^ (keep[15] ? double(result) : double(double(result)));
      end
      default: next_out = result;
    endcase
    after = {next_chain, next_argument, next_out};
  endfunction

  // The core's result of the call under way, a cycle after it came. Without `Steps` the results are
  // those of the function that the core is, all at once.
  logic answered;
  logic [127:0] answer_q;
  wire [BeatBits-1:0] later = after(mode, decrypt, p_last, p_keep, p_data, p_before, p_call,
                                    p_argument, p_out, answer_q);
  wire finishes = answered && p_call + 1'b1 == p_calls;
  localparam int unsigned MostCalls = HasCfb8 ? 16 : HasCmac ? 2 : 1;
  logic [BeatBits-1:0] at_once;
  always_comb begin
    at_once = {chain_d, argument_d, 128'd0};
    if (!Steps) begin
      for (int i = 0; i < MostCalls; i++) begin
        if (calls_d > i) begin
          at_once = after(mode_d, decrypt_d, h_last, h_keep, h_data, chain_d, 5'(i),
                          at_once[255:128], at_once[127:0],
                          prove_function_pkg::some_function(256'(key_d), at_once[255:128]));
        end
      end
    end
  end

  // The beat that is followed: the number of it in its stream, of those that give a beat, and what
  // must come out. Numbers count to twice the places.
  logic [CountBits-1:0] n_in = '0, n_out = '0;
  (* anyconst *) logic [CountBits-1:0] some_number;
  logic marked = 1'b0, k_work = 1'b0, k_bad, k_block, k_last;
  logic [15:0] k_keep;
  logic [UserBits-1:0] k_user;
  logic [127:0] k_out;
  wire chosen = own_go && shown_d && mark && !marked && n_in == some_number;
  wire own_leave = leave && m_axis_tid == some_stream;
  wire turn = marked && n_out == some_number;
  wire [CountBits-1:0] inside = n_in - n_out;
  wire [127:0] k_mask = k_block ? mask_of(k_keep) : '0;

  // Waits, and what is seen on the way.
  logic m_stalled = 1'b0;
  logic [127:0] m_data;
  logic [15:0] m_keep;
  logic m_last;
  logic [StreamBits-1:0] m_id;
  logic [UserBits:0] m_user;
  localparam int unsigned WaitBits = ContextTimeout > 0 ? $clog2(ContextTimeout + 1) : 1;
  // Cycles that the first beat of a packet has waited at the head without a context.
  logic [WaitBits-1:0] waited = '0;
  wire waits = h && h_first && c_inside == '0;
  logic seen_error = 1'b0, seen_later = 1'b0, k_later = 1'b0;

  always_ff @(posedge clk) begin
    begun <= 1'b1;
    c_inside <= c_inside + 2'(c_push) - 2'(c_pop);
    if (c_pop) c_first <= c_second;
    if (c_push && (c_inside - 2'(c_pop)) == 2'd0) c_first <= c_in;
    if (c_push && (c_inside - 2'(c_pop)) == 2'd1) c_second <= c_in;
    h <= accept || (h && !go);
    if (accept) begin
      {h_stream, h_last, h_keep, h_user} <= {s_axis_tid, s_axis_tlast, s_axis_tkeep, s_axis_tuser};
      h_data <= swap(s_axis_tdata);
      h_first <= 32'(s_axis_tid) < Streams && !within[s_axis_tid];
      within[s_axis_tid] <= !s_axis_tlast;
    end
    if (own_go) begin
      open <= !h_last && !beyond;
      {sure, digest, empty, bad, partial} <= {sure_d, digest_d, empty_d, bad_d, partial_d};
      {window, iv, mode, decrypt, key} <= {window_d, iv_d, mode_d, decrypt_d, key_d};
      {p_first, p_last, p_keep, p_user} <= {h_first, h_last, h_keep, h_user};
      {p_bad, p_block, p_shown} <= {bad_d, block_d, shown_d};
      {p_on, p_data, p_before} <= {block_d, h_data, chain_d};
      {p_call, p_calls} <= {5'd0, calls_d};
      chain <= at_once[383:256];
      {p_argument, p_out} <= at_once[255:0];
    end else if (answered) begin
      p_call <= p_call + 1'b1;
      {chain, p_argument, p_out} <= later;
      if (finishes) p_on <= 1'b0;
    end
    n_in  <= n_in + CountBits'(own_go && shown_d);
    n_out <= n_out + CountBits'(own_leave);
    if (chosen) begin
      marked <= 1'b1;
      k_work <= Steps && block_d;
      {k_bad, k_block, k_last} <= {bad_d, block_d, h_last};
      {k_keep, k_user} <= {h_keep | {16{digest_d}}, h_user};
      k_out <= at_once[127:0];
      k_later <= !h_first;
    end else if (k_work && finishes) begin
      k_work <= 1'b0;
      k_out <= later[127:0];
    end
    if (turn && own_leave) begin
      marked <= 1'b0;
      seen_later <= seen_later || (k_block && k_later && seen_error);
    end
    if (own_leave && m_axis_tuser[0]) seen_error <= 1'b1;
    waited <= !waits || go ? '0 : waited == WaitBits'(ContextTimeout) ? waited : waited + 1'b1;
    m_stalled <= m_axis_tvalid && !m_axis_tready && !reset;
    {m_data, m_keep, m_last, m_id, m_user}
        <= {m_axis_tdata, m_axis_tkeep, m_axis_tlast, m_axis_tid, m_axis_tuser};
    s_stalled <= s_tvalid && !s_axis_tready && !reset;
    c_stalled <= c_tvalid && !s_ctx_tready && !reset;
    if (reset) begin
      {n_in, n_out, c_inside, waited} <= '0;
      {marked, k_work, h, open, p_on} <= '0;
      within <= '0;
    end
  end

  always_comb begin
    if (Cover) begin
      // A packet with an error came out, then a block that is not the first of its packet.
      assert (!seen_later);
    end else if (begun) begin
      // 1. What waits at the output stays as it is.
      if (m_stalled) begin
        assert (m_axis_tvalid);
        assert ({m_axis_tdata, m_axis_tkeep, m_axis_tlast, m_axis_tid, m_axis_tuser}
            == {m_data, m_keep, m_last, m_id, m_user});
      end
      // 2. No beat of the stream is invented, and no more are inside than there are places for.
      if (m_axis_tvalid && m_axis_tid == some_stream) assert (inside != '0);
      assert (inside <= Depth + 3);
      // 3. The beat that is followed leaves in its turn, as the mode's function of its packet.
      if (turn && m_axis_tvalid && m_axis_tid == some_stream) begin
        assert (!k_work);
        assert ({m_axis_tkeep, m_axis_tlast} == {k_keep, k_last});
        assert (m_axis_tuser == {k_user, k_bad});
        assert (m_axis_tdata == swap(k_out & k_mask));
      end
      // 4. No more than two contexts wait.
      if (c_push) assert (c_inside < 2'd2);
      // 5. A packet goes on without a context only after it has waited for one.
      if (go && waits) assert (ContextTimeout != 0 && waited == WaitBits'(ContextTimeout));
    end
  end

  // From one cycle to the next: where the stream's beat is, and what the registers hold. What has
  // been proved of this stream until now holds of all, since it is any.
  if (Steps) begin : gen_steps
    localparam int unsigned L = CoreLatency;
    localparam bit Looped = Unroll < Nr;
    localparam bit HasCbc = (Modes >> aesforge_pkg::ModeCbc) % 2 == 1;
    localparam bit HasCfb = (Modes >> aesforge_pkg::ModeCfb) % 2 == 1;
    localparam bit HasOfb = (Modes >> aesforge_pkg::ModeOfb) % 2 == 1;
    localparam bit Again = HasCfb8 || HasCmac;
    localparam bit Adds = HasCfb || HasOfb || Again;

    // Registers of the engine, connected by the script.
    // of its shell:
    (* keep *) logic zeroizing, core_zeroize, queue_zeroize_q;
    (* keep *) logic head_q, head_first_q, head_last_q, head_beyond_q, free_q, missing, credit;
    (* keep *) logic [StreamBits-1:0] head_stream;
    (* keep *) logic [127:0] head_data_q;
    (* keep *) logic [15:0] head_keep_q;
    (* keep *) logic [UserBits-1:0] head_user_q;
    (* keep *) logic [Places-1:0] inside_q, busy_q;
    (* keep *) logic hole_q, full_q, beat_hole, beat_full;
    (* keep *) logic beat_q, beat_first, beat_last, beat_beyond_q, beat_error, beat_block;
    (* keep *) logic [StreamBits-1:0] beat_stream;
    (* keep *) logic [15:0] beat_keep;
    (* keep *) logic [127:0] beat_data;
    (* keep *) logic [UserBits-1:0] beat_user_q;
    (* keep *) logic known_q, partial_q, digest_q, empty_q;
    localparam int unsigned HeaderBits = (Stored ? SlotBits : 0) + 4;
    localparam int unsigned RestBits = Stored ? 1 : KeyBits;
    localparam int unsigned SideBits = 16 + UserBits + 4;
    (* keep *) logic [HeaderBits-1:0] beat_header;
    (* keep *) logic [RestBits-1:0] rest_q, late_new_q;
    (* keep *) logic late_store_q;
    (* keep *) logic [StreamBits-1:0] late_stream_q;
    (* keep *) logic [RestBits*Streams-1:0] rests;
    (* keep *) logic [HeaderBits*Streams-1:0] headers;
    (* keep *) logic [5*Streams-1:0] states;
    (* keep *) logic [SideBits*Places-1:0] sides;
    (* keep *) logic done, skip_q, skip_spare_q, result_valid;
    (* keep *) logic [StreamBits-1:0] done_stream, skip_stream_q, skip_spare_stream_q;
    (* keep *) logic done_q, end_q, done_wrong_q;
    (* keep *) logic [Places-1:0] ends;
    (* keep *) logic [StreamBits-1:0] done_stream_q;
    (* keep *) logic [127:0] done_data_q;
    (* keep *) logic [SideBits-1:0] done_side_q;
    (* keep *) logic out_q, out_wrong_q;
    (* keep *) logic [StreamBits-1:0] out_stream_q;
    (* keep *) logic [127:0] out_data_q;
    (* keep *) logic [SideBits-1:0] out_side_q;
    (* keep *) logic [PlaceBits-1:0] used_q;
    (* keep *) logic [1:0] delta_q, carry_q;
    (* keep *) logic [WaitBits-1:0] wait_count;
    (* keep *) logic wait_end_q;
    // of the contexts:
    localparam int unsigned PayloadBits = 128 + RestBits;
    (* keep *) logic ctx_valid, ctx_stall_q;
    (* keep *) logic [HeaderBits-1:0] ctx_header, ctx_spare_q;
    (* keep *) logic [1:0] ctx_read_q, ctx_write_q, ctx_write_delayed_q, place_q;
    (* keep *) logic [PayloadBits-1:0] payload_q;
    (* keep *) logic [(PayloadBits+31)/32-1:0] ctx_zeroize_q;
    (* keep *) logic [4*PayloadBits-1:0] payloads;
    // of the output queue:
    localparam int unsigned WordBits = 128 + 16 + StreamBits + UserBits + 2;
    (* keep *) logic [PlaceBits-1:0] queue_write_q, queue_read_q, queue_after_q;
    (* keep *) logic queue_leave, some_q, first_valid_q, second_valid_q, stall_q;
    (* keep *) logic [WordBits-1:0] queue_first_q, queue_second_q, spare_q;
    (* keep *) logic [WordBits*Depth-1:0] memory;
    // of the mode:
    localparam int unsigned InfoBits = 13;
    (* keep *) logic core_valid, back_q, next_valid_q, again_q;
    (* keep *) logic [StreamBits-1:0] core_stream, back_stream_q, next_stream_q;
    (* keep *) logic [WindowBits-1:0] core_window;
    (* keep *) logic [127:0] core_block, chain_q, late_chain_q, back_block, next_q, result_data;
    (* keep *) logic [InfoBits-1:0] core_info, back_info_q;
    (* keep *) logic [128*Streams-1:0] chains;
    (* keep *) logic [InfoBits*Streams-1:0] infos;
    // and of the core's model:
    (* keep *) logic [L-1:0] valid_q;
    (* keep *) logic [StreamBits*L-1:0] tags_q;
    (* keep *) logic call_valid, call_ready;
    (* keep *) logic [StreamBits-1:0] call_tag;
    (* keep *) logic [KeyBits-1:0] call_key;
    (* keep *) logic [127:0] call_block, out_block;

    // --- Where the stream's beat is. `d_on` and `o_on`: a result is on its way to the queue, in
    // the first register and in the second; meanwhile the stream's next beat may set out.
    localparam int unsigned None = 0, Beat = 1, Enter = 2, Queue = 3, Core = 4, Back = Core + L;
    localparam int unsigned Result = Back + 1, Skip = Back + 2, Spare = Back + 3;
    localparam int unsigned PosBits = $clog2(Spare + 1);
    logic [PosBits-1:0] pos = '0;
    logic d_on = 1'b0, o_on = 1'b0, l_on = 1'b0;
    // The core takes the block of the stream, which has waited for its turn if the core is looped.
    logic own_turn;
    always_ff @(posedge clk) begin
      case (pos)
        None: pos <= own_go ? Beat : None;
        Beat: pos <= p_block ? Enter : skip_q && result_valid ? Spare : Skip;
        Enter: pos <= Looped ? Queue : Core;
        Queue: pos <= own_turn ? Core : Queue;
        Result: pos <= p_on ? Enter : own_go ? Beat : None;
        Skip: pos <= result_valid ? Skip : None;
        Spare: pos <= result_valid ? Spare : Skip;
        default: pos <= pos + 1'b1;
      endcase
      d_on <= (pos == Result && !p_on) || (pos == Skip && !result_valid);
      o_on <= d_on;
      // A first beat stores its payload.
      l_on <= pos == Beat && p_first;
      if (reset) begin
        pos <= None;
        {d_on, o_on, l_on} <= '0;
      end
    end
    assign answered = pos == Back;
    always_ff @(posedge clk) answer_q <= out_block;

    // --- What has been proved of each stream in the cycles before.
    logic fine_q = 1'b1, running_fine, queue_fine;
    wire fine = (!done || busy_q[done_stream]) && (!beat_q || !busy_q[beat_stream])
        && running_fine;
    always_ff @(posedge clk) fine_q <= fine || reset;
    always_comb assume (fine_q || !begun);

    always_comb if (begun && !Cover) begin
      assert (!zeroizing && !core_zeroize && !queue_zeroize_q && ctx_zeroize_q == '0);

      // The head.
      assert (head_q == h && inside_q == within);
      if (h) begin
        assert ({head_stream, head_last_q, head_keep_q, head_user_q, head_data_q}
            == {h_stream, h_last, h_keep, h_user, h_data});
        assert (head_first_q == h_first && head_beyond_q == (32'(h_stream) >= Streams));
        assert (hole_q == ((h_keep & (h_keep + 16'd1)) != '0) && full_q == (h_keep == '1));
        assert (within[h_stream] == !h_last);
        assert (free_q == !(busy_q[h_stream] || (beat_q && beat_stream == h_stream)));
        if (beyond && own_head) assert (!h_first);
      end
      if (!beyond) begin
        if (own_head) assert (h_first == !open);
        else assert (within[some_stream] == open);
      end else assert (!open);
      assert (!(again_q && beat_q));

      // The beat: one place at a time.
      assert (pos <= Spare && (Looped || pos != Queue));
      assert ((beat_q && beat_stream == some_stream) == (pos == Beat));
      assert ((core_valid && core_stream == some_stream) == (pos == Enter));
      assert ((back_q && back_stream_q == some_stream) == (pos == Back));
      assert ((next_valid_q && next_stream_q == some_stream) == (pos == Result));
      assert (next_valid_q == (result_valid || again_q) && !(result_valid && again_q));
      if (pos == Result) assert (again_q == p_on);
      assert ((skip_q && skip_stream_q == some_stream) == (pos == Skip));
      assert ((skip_spare_q && skip_spare_stream_q == some_stream) == (pos == Spare));
      assert (!skip_spare_q || (skip_q && !beat_q));
      assert (busy_q[some_stream] == (pos >= Enter));
      assert ((done_q && done_stream_q == some_stream) == d_on);
      assert ((out_q && out_stream_q == some_stream) == o_on);
      assert ((late_store_q && late_stream_q == some_stream) == l_on);
      assert (!d_on || pos == None);
      assert (!l_on || pos == Enter || pos == Skip || pos == Spare);
      if (pos == Beat) assert (p_on == p_block);
      else if (pos == None || pos >= Skip) assert (!p_on);
      else if (pos != Result) assert (p_on);
      if (pos == Result || (pos > Beat && pos < Skip)) assert (p_block);
      if (pos >= Skip) assert (!p_block);
      // A block of the stream that the core takes is the argument of its next call, under its key.
      if (call_valid && call_ready && call_tag == some_stream) begin
        assert (pos == (Looped ? Queue : Enter) && p_on);
        assert (call_block == p_argument && call_key == key);
      end
      // What others rely on.
      if (done && done_stream == some_stream) assert (busy_q[some_stream]);
      if (beat_q && beat_stream == some_stream) assert (!busy_q[some_stream]);
    end
    for (genvar k = 0; k < L; k++) begin : gen_core
      always_comb if (begun && !Cover) begin
        assert ((valid_q[k] && tags_q[StreamBits*k+:StreamBits] == some_stream)
            == (pos == Core + k));
      end
    end

    // --- Contexts that wait, and one that came in the last cycle.
    logic c_new = 1'b0, c_live = 1'b0;
    always_ff @(posedge clk) {c_new, c_live} <= {c_push && !reset, !reset};
    wire [1:0] c_end = ctx_read_q + c_inside;
    wire [1:0] c_next = ctx_read_q + 2'd1;
    logic [PayloadBits-1:0] payload_first, payload_next, payload_open;
    always_comb begin
      {payload_first, payload_next, payload_open} = '0;
      for (int i = 0; i < 4; i++) begin
        if (ctx_read_q == i) payload_first = payloads[PayloadBits*i+:PayloadBits];
        if (c_next == i) payload_next = payloads[PayloadBits*i+:PayloadBits];
        if (place_q == i) payload_open = payloads[PayloadBits*i+:PayloadBits];
      end
    end

    // --- The packet and the beat in their registers.
    function automatic logic [HeaderBits-1:0] header_of(input logic [ContextBits-1:0] context);
      header_of = HeaderBits'({context[ContextBits-1-:WindowBits], context[3:0]});
    endfunction
    function automatic logic [RestBits-1:0] rest_of(input logic [ContextBits-1:0] context);
      rest_of = Stored ? RestBits'(0) : RestBits'(context[ContextBits-1-:WindowBits]);
    endfunction
    function automatic logic [PayloadBits-1:0] payload_of(input logic [ContextBits-1:0] context);
      payload_of = {context[131:4], rest_of(context)};
    endfunction
    wire [ContextBits-1:0] context = {window, iv, mode, decrypt};
    wire cbc = mode == 3'(aesforge_pkg::ModeCbc), cfb = mode == 3'(aesforge_pkg::ModeCfb);
    wire ofb = mode == 3'(aesforge_pkg::ModeOfb), cfb8 = mode == 3'(aesforge_pkg::ModeCfb8);
    wire cmac = mode == 3'(aesforge_pkg::ModeCmac);
    wire [4:0] bytes = bytes_of(p_keep);
    wire [4:0] left = p_calls - 1'b1 - p_call;
    wire [4:0] past = p_keep == '0 ? '0 : bytes - 1'b1;
    wire [InfoBits-1:0] info = {cfb, ofb, cfb8, decrypt, p_keep[15], left[3:0], past[3:0]};
    wire [SideBits-1:0] side = {
      p_shown, p_block, p_bad, p_last, p_keep | {16{digest}}, p_user
    };
    wire [127:0] shown_bytes = p_block ? mask_of(p_keep | {16{digest}}) : '0;
    // The beat in the second register.
    logic [SideBits-1:0] o_side;
    logic [127:0] o_out;
    logic o_shown, o_block, o_bad, o_last;
    logic [15:0] o_keep;
    logic [UserBits-1:0] o_user;
    always_ff @(posedge clk) if (d_on) {o_side, o_out} <= {side, p_out & shown_bytes};
    assign {o_shown, o_block, o_bad, o_last, o_keep, o_user} = o_side;
    wire [127:0] o_bytes = o_block ? mask_of(o_keep) : '0;
    wire [WordBits-1:0] o_word = {swap(o_out), o_keep, o_last, some_stream, o_user, o_bad};
    // What waits beside the core: of CFB8 the bytes to come, and then those done.
    logic [127:0] turned;
    if (HasCfb8) begin : gen_turned
      always_comb begin
        turned = '0;
        for (int i = 0; i < 16; i++) begin
          for (int j = 0; j < 16; j++) begin
            if (j < bytes && i + p_call == j) turned[127-8*i-:8] = p_data[127-8*j-:8];
            if (i + p_call == j + bytes) turned[127-8*i-:8] = p_out[127-8*j-:8];
          end
        end
      end
    end else begin : gen_turned
      assign turned = '0;
    end
    function automatic logic is_wait(input logic [127:0] value);
      is_wait = 1'b1;
      if (cfb || ofb) is_wait = value == p_data;
      if (cmac && p_last && p_call == '0) is_wait = value == (pad(p_data, p_keep) ^ p_before);
      if (cfb8) is_wait = ((value ^ turned) & mask_of(p_keep)) == '0;
    endfunction
    logic [4:0] own_state;
    logic [HeaderBits-1:0] own_header;
    logic [RestBits-1:0] own_rest;
    logic [127:0] own_chain;
    logic [InfoBits-1:0] own_info;
    logic [SideBits-1:0] own_side;
    logic own_end;
    always_comb begin
      {own_state, own_header, own_rest, own_chain, own_info, own_side, own_end} = '0;
      for (int i = 0; i < Places; i++) begin
        if (some_stream == i) {own_side, own_end} = {sides[SideBits*i+:SideBits], ends[i]};
      end
      for (int i = 0; i < Streams; i++) begin
        if (some_stream == i) begin
          own_state  = states[5*i+:5];
          own_header = headers[HeaderBits*i+:HeaderBits];
          own_rest   = rests[RestBits*i+:RestBits];
          own_chain  = chains[128*i+:128];
          own_info   = infos[InfoBits*i+:InfoBits];
        end
      end
    end
    always_comb if (begun && !Cover) begin
      if (open || pos != None || d_on) begin
        assert (!sure || ((Modes >> mode) % 2 == 1 && !(cbc && decrypt)));
        assert (bad || sure);
        assert (!digest || cmac || mode == 3'(aesforge_pkg::ModeCbcMac));
        assert (!sure || digest == (cmac || mode == 3'(aesforge_pkg::ModeCbcMac)));
        assert (!sure || (empty == cmac && partial == !(cbc || (digest && !cmac))));
        assert (!sure || Stored || key == KeyBits'(window));
        assert (!beyond || (bad && !sure && !digest));
      end
      if (pos != None || d_on) begin
        assert (p_bad == bad && p_shown == (!digest || p_last) && open == (!p_last && !beyond));
        assert (!p_block || (!bad && p_keep != '0) || (!bad && digest));
        assert (p_block == (!bad && (p_keep != '0 || digest)));
        assert (bad || (p_keep & (p_keep + 16'd1)) == '0);
        assert (bad || p_last || p_keep == '1);
        if (p_block) assert (p_calls == (cfb8 ? bytes : cmac && p_last ? 5'd2 : 5'd1));
        if (p_on) assert (p_call < p_calls);
        if (pos == Beat) assert (p_call == '0);
        if (p_block && p_call == '0) begin
          assert (p_argument == (cmac && p_last ? '0 : cbc || digest ? p_data ^ p_before
              : p_before));
        end
      end
      if (pos == Beat) begin
        assert ({beat_first, beat_last, beat_keep, beat_user_q, beat_data}
            == {p_first, p_last, p_keep, p_user, p_data});
        assert (beat_beyond_q == beyond && known_q == sure && digest_q == digest);
        assert (beat_error == bad && beat_block == p_block);
        assert (beat_hole == ((p_keep & (p_keep + 16'd1)) != '0) && beat_full == (p_keep == '1));
        if (sure) begin
          assert (partial_q == partial && empty_q == empty);
          assert (beat_header == header_of(context));
          if (p_first) begin
            assert (place_q == ctx_read_q - 2'd1);
            assert (payload_open == payload_of(context));
            assert (p_before == (digest ? '0 : iv));
          end else assert (rest_q == rest_of(context));
        end
        if (p_block && !p_first) assert (chain_q == p_before);
      end
      if (open && pos != Beat) begin
        assert (own_state[4:1] == {sure, bad, sure ? partial : own_state[2], digest});
        if (sure) assert (own_state[0] == empty);
        if (sure) assert (own_header == header_of(context));
      end
      if (l_on && sure) assert (late_new_q == rest_of(context));
      if (open && sure && !l_on && !(pos == Beat && p_first)) begin
        assert (own_rest == rest_of(context));
      end
      if (open && !bad && pos == None) assert (own_chain == chain);
      if (pos == Enter) begin
        assert (core_block == p_argument && core_window == window && core_info == info);
      end
      if (pos >= Queue && pos < Back) assert (own_info == info);
      if (pos == Back) assert (back_info_q == info && back_block == answer_q);
      if (pos == Result) begin
        if (p_on) assert (next_q == p_argument);
        else begin
          assert (((result_data ^ p_out) & shown_bytes) == '0 || (digest && !p_last));
          if (open && !bad) assert (next_q == chain);
        end
      end
      if (pos >= Enter) assert (own_side == side && own_end == (sure && p_last));
      if (d_on) begin
        assert (done_side_q == side && !done_wrong_q && end_q == (sure && p_last));
        if (p_shown) assert (((done_data_q ^ p_out) & shown_bytes) == '0);
      end
      if (o_on) begin
        assert (out_side_q == o_side && !out_wrong_q && (o_out & ~o_bytes) == '0);
        if (o_shown) assert (((out_data_q ^ o_out) & o_bytes) == '0);
      end
    end
    if (Adds) begin : gen_wait
      (* keep *) logic wait_chains_q;
      (* keep *) logic [127:0] wait_q, waits_q;
      (* keep *) logic [128*Streams-1:0] waits;
      logic [127:0] own_wait;
      always_comb begin
        own_wait = '0;
        for (int i = 0; i < Streams; i++) if (some_stream == i) own_wait = waits[128*i+:128];
      end
      always_comb if (begun && !Cover) begin
        if (pos == Enter) assert (is_wait(wait_q ^ (wait_chains_q ? late_chain_q : '0)));
        if (pos >= Queue && pos < Back) assert (is_wait(own_wait));
        if (pos == Back) assert (is_wait(waits_q));
        if (pos == Result && p_on) assert (is_wait(result_data));
      end
    end
    if (HasCfb8) begin : gen_in
      (* keep *) logic [127:0] in_q;
      (* keep *) logic [128*Streams-1:0] ins;
      logic [127:0] own_in;
      always_comb begin
        own_in = '0;
        for (int i = 0; i < Streams; i++) if (some_stream == i) own_in = ins[128*i+:128];
      end
      always_comb if (begun && !Cover) begin
        if (pos >= Queue && pos < Back) assert (own_in == p_argument);
        if (pos == Back) assert (in_q == p_argument);
      end
    end
    if (Again) begin : gen_again
      (* keep *) logic [WindowBits-1:0] window_q, again_window_q;
      (* keep *) logic [InfoBits-1:0] again_info_q;
      (* keep *) logic [WindowBits*Streams-1:0] windows;
      logic [WindowBits-1:0] own_window;
      always_comb begin
        own_window = '0;
        for (int i = 0; i < Streams; i++) begin
          if (some_stream == i) own_window = windows[WindowBits*i+:WindowBits];
        end
      end
      always_comb if (begun && !Cover) begin
        if (pos >= Queue && pos < Back) assert (own_window == window);
        if (pos == Back) assert (window_q == window);
        if (pos == Result && p_on) assert (again_window_q == window && again_info_q == info);
      end
    end

    always_comb if (begun && !Cover) begin
      assert (c_inside == 2'(ctx_valid) + 2'(ctx_stall_q && ctx_valid));
      assert (ctx_write_q == c_end && (c_inside != '0 || !c_new));
      if (c_live) assert (ctx_write_delayed_q == ctx_write_q - 2'(c_new));
      else assert (c_inside == '0 && !c_new && !h && !credit && pos == None);
      assert (!ctx_stall_q || ctx_valid || !c_live);
      if (c_inside != '0) begin
        assert (ctx_header == header_of(c_first));
        assert ((c_inside == 2'd1 && c_new ? payload_q : payload_first) == payload_of(c_first));
      end
      if (c_inside == 2'd2) begin
        assert (ctx_spare_q == header_of(c_second));
        assert ((c_new ? payload_q : payload_next) == payload_of(c_second));
      end
      // The wait for one.
      assert (ContextTimeout == 0 || wait_count == waited);
      assert (ContextTimeout == 0
          || wait_end_q == (ContextTimeout == 1 || waited == WaitBits'(ContextTimeout - 1)));
      assert (missing == (ContextTimeout != 0 && waited == WaitBits'(ContextTimeout)));
    end

    // --- Credits: every beat that has gone on has a place in the output queue. Beats in flight are
    // those of the streams before each stream, and its own.
    logic [CountBits-1:0] taken_q = '0, reads_q = '0, writes_q = '0;
    wire swallows = out_q && !out_side_q[SideBits-1];
    wire writes = out_q && out_side_q[SideBits-1];
    always_ff @(posedge clk) begin
      taken_q <= reset ? '0 : taken_q + CountBits'(go) - CountBits'(queue_leave)
          - CountBits'(swallows);
      reads_q <= reset ? '0 : reads_q + CountBits'(queue_leave);
      writes_q <= reset ? '0 : writes_q + CountBits'(writes);
    end
    localparam int unsigned SumBits = StreamBits + 1;
    wire [SumBits-1:0] sums[0:Places];
    assign sums[0] = '0;
    for (genvar i = 0; i < Places; i++) begin : gen_sum
      logic [SumBits-1:0] sum_q = '0;
      always_ff @(posedge clk) begin
        sum_q <= reset ? '0 : sum_q + SumBits'(beat_q && beat_stream <= i)
            - SumBits'(done && done_stream <= i);
      end
      assign sums[i+1] = sum_q;
      always_comb if (begun && !Cover) begin
        assert (sum_q == sums[i] + SumBits'(busy_q[i]));
        assert (sum_q <= i + 1);
      end
    end
    wire [CountBits-1:0] in_queue = writes_q - reads_q;
    localparam int unsigned DigitBits = PlaceBits > 4 ? 4 : PlaceBits;
    localparam int unsigned AllBits = (CountBits > SumBits ? CountBits : SumBits) + 1;
    wire [CountBits-1:0] used = {1'b0, used_q}
        + (CountBits'($signed(carry_q)) << DigitBits);
    always_comb if (begun && !Cover) begin
      assert (AllBits'(taken_q) == AllBits'(sums[Places]) + AllBits'(beat_q) + AllBits'(done_q)
          + AllBits'(out_q) + AllBits'(in_queue));
      assert (taken_q == used + CountBits'($signed(delta_q)));
      assert (carry_q != 2'b10 && used <= CountBits'(Depth - 1));
      assert (taken_q <= CountBits'(Depth - 1));
      assert (carry_q != 2'b01 || used_q[DigitBits-1:0] == '0);
      assert (carry_q != 2'b11 || (&used_q[DigitBits-1:1]));
      assert (!credit || used <= CountBits'(Depth - 3));
      assert (queue_write_q == writes_q[PlaceBits-1:0]);
      assert (queue_read_q == reads_q[PlaceBits-1:0]);
      assert (queue_after_q == queue_read_q + PlaceBits'(1));
      assert (some_q == (in_queue != '0));
    end

    // --- The output queue. `c_...`: so many beats of the stream have left before this place, or
    // will have.
    function automatic logic is_own(input logic [WordBits-1:0] value);
      is_own = value[UserBits+1+:StreamBits] == some_stream;
    endfunction
    logic [CountBits-1:0] n_written = '0, n_left = '0;
    always_ff @(posedge clk) begin
      if (writes && out_stream_q == some_stream) n_written <= n_written + 1'b1;
      n_left <= reset ? '0 : n_left + CountBits'(leave);
      if (reset) n_written <= '0;
    end
    // A reset may leave `stall_q` set for a cycle, without a word.
    wire spare_valid = stall_q && m_axis_tvalid;
    wire [CountBits-1:0] to_spare = CountBits'(m_axis_tvalid);
    wire [CountBits-1:0] to_second = to_spare + CountBits'(spare_valid);
    wire [CountBits-1:0] to_first = to_second + CountBits'(second_valid_q);
    wire [CountBits-1:0] to_memory = to_first + CountBits'(first_valid_q);
    wire [WordBits-1:0] out_word = {
      m_axis_tdata, m_axis_tkeep, m_axis_tlast, m_axis_tid, m_axis_tuser
    };
    wire [CountBits-1:0] c_spare = n_out + CountBits'(m_axis_tvalid && is_own(out_word));
    wire [CountBits-1:0] c_second_ = c_spare + CountBits'(spare_valid && is_own(spare_q));
    wire [CountBits-1:0] c_first_ = c_second_
        + CountBits'(second_valid_q && is_own(queue_second_q));
    wire [CountBits-1:0] c_memory = c_first_ + CountBits'(first_valid_q && is_own(queue_first_q));

    // The word that is followed: the number of it in the queue, of all words.
    logic k_out_on = 1'b0, k_queued = 1'b0;
    logic [CountBits-1:0] k_number;
    wire k_on_way = marked && !k_out_on && !k_queued;
    always_ff @(posedge clk) begin
      k_out_on <= d_on && p_shown && k_on_way && !reset;
      if (k_out_on) {k_queued, k_number} <= {1'b1, writes_q};
      if (reset || (turn && own_leave)) k_queued <= 1'b0;
    end
    wire [CountBits-1:0] ahead = k_number - n_left;
    wire [PlaceBits-1:0] k_place = k_number[PlaceBits-1:0];
    wire in_memory = marked && k_queued && ahead >= to_memory;
    wire [WordBits-1:0] k_word = {
      swap(k_out & k_mask), k_keep, k_last, some_stream, k_user, k_bad
    };
    always_comb if (begun && !Cover) begin
      assert (reads_q == n_left + to_memory);
      assert (!stall_q || m_axis_tvalid || !c_live);
      assert (n_in == n_written + CountBits'((pos != None || d_on) && p_shown)
          + CountBits'(o_on && o_shown));
      if (in_queue == '0) assert (n_written == c_memory);
      if (k_queued || k_out_on) assert (marked && !(k_queued && k_out_on));
      if (k_out_on) begin
        assert (o_on && o_shown && !k_work && some_number == n_written && k_word == o_word);
      end
      if (k_on_way) begin
        assert ((pos != None || d_on) && p_shown);
        assert (some_number == n_written + CountBits'(o_on && o_shown));
        assert ({k_bad, k_block, k_last, k_user} == {p_bad, p_block, p_last, p_user});
        assert (k_keep == (p_keep | {16{digest}}) && k_work == p_on);
        if (!p_on) assert (k_out == p_out);
      end
      if (marked && k_queued) begin
        assert (!k_work && ahead < writes_q - n_left);
        if (!in_memory) begin
          if (ahead < to_spare) assert (out_word == k_word && n_out == some_number);
          else if (ahead < to_second) assert (spare_q == k_word && c_spare == some_number);
          else if (ahead < to_first) assert (queue_second_q == k_word && c_second_ == some_number);
          else assert (queue_first_q == k_word && c_first_ == some_number);
        end
      end
    end
    logic [CountBits-1:0] counts[0:Depth-1];
    for (genvar p = 0; p < Depth; p++) begin : gen_place
      logic [CountBits-1:0] count_q;
      assign counts[p] = count_q;
      localparam int unsigned Next = (p + 1) % Depth;
      always_ff @(posedge clk) if (writes && queue_write_q == p) count_q <= n_written;
      wire [WordBits-1:0] own_word = memory[WordBits*p+:WordBits];
      wire own = is_own(own_word);
      wire [PlaceBits-1:0] from_read = PlaceBits'(p) - queue_read_q;
      wire [PlaceBits-1:0] to_write = queue_write_q - PlaceBits'(p);
      wire [PlaceBits-1:0] to_followed = k_place - PlaceBits'(p);
      wire held = CountBits'(from_read) < in_queue;
      always_comb if (begun && !Cover && held) begin
        if (from_read == '0) assert (count_q == c_memory);
        if (to_write == PlaceBits'(1)) assert (n_written == count_q + CountBits'(own));
        else assert (counts[Next] == count_q + CountBits'(own));
        assert (n_written - count_q <= CountBits'(to_write));
        if (in_memory && k_place == p) assert (own_word == k_word && count_q == some_number);
        if (in_memory && CountBits'(from_read) < k_number - reads_q) begin
          assert (some_number - count_q <= CountBits'(to_followed));
        end
      end
    end

    // --- A looped core: blocks wait for it in a queue, at most one of each stream.
    if (Looped) begin : gen_queue
      localparam int unsigned InBits = StreamBits + WindowBits + 128;
      // A word is in the RAM, in one of four registers, or comes next.
      localparam int unsigned NumberBits = StreamBits + 2;
      (* keep *) logic [StreamBits-1:0] in_write_q, in_read_q, in_after_q;
      (* keep *) logic in_leave, in_some_q, in_first_valid_q, in_second_valid_q, in_stall_q;
      (* keep *) logic in_valid, in_zeroize_q, core_ready;
      (* keep *) logic [InBits-1:0] in_first_q, in_second_q, in_spare_q, in_word;
      (* keep *) logic [InBits*Places-1:0] in_memory_words;
      // Streams whose block is there, or comes there next; which ones come before each stream.
      logic [Places-1:0] queued = '0;
      logic [NumberBits-1:0] written_q = '0, read_q = '0, left_q = '0, own_q;
      wire comes = beat_q && beat_block || again_q;
      wire [StreamBits-1:0] comes_stream = again_q ? next_stream_q : beat_stream;
      wire [StreamBits-1:0] in_stream = in_word[InBits-1-:StreamBits];
      wire leaves = in_valid && core_ready;
      always_ff @(posedge clk) begin
        if (leaves) queued[in_stream] <= 1'b0;
        if (comes) queued[comes_stream] <= 1'b1;
        written_q <= written_q + NumberBits'(core_valid);
        read_q <= read_q + NumberBits'(in_leave);
        left_q <= left_q + NumberBits'(leaves);
        if (pos == Enter) own_q <= written_q;
        if (reset) queued <= '0;
        if (reset) {written_q, read_q, left_q} <= '0;
      end
      wire [NumberBits-1:0] place_of = own_q - left_q;
      assign own_turn = leaves && place_of == '0;
      assign queue_fine = (!leaves || queued[in_stream]) && (!comes || !queued[comes_stream]);
      wire [NumberBits-1:0] in_ram = written_q - read_q;
      wire in_spare = in_stall_q && in_valid;
      wire [NumberBits-1:0] to_in_spare = NumberBits'(in_valid);
      wire [NumberBits-1:0] to_in_second = to_in_spare + NumberBits'(in_spare);
      wire [NumberBits-1:0] to_in_first = to_in_second + NumberBits'(in_second_valid_q);
      wire [NumberBits-1:0] to_in_ram = to_in_first + NumberBits'(in_first_valid_q);
      wire [InBits-1:0] own_in = {some_stream, window, p_argument};
      wire waits_here = pos == Queue;
      wire [NumberBits-1:0] in_sums[0:Places];
      assign in_sums[0] = '0;
      for (genvar i = 0; i < Places; i++) begin : gen_sum
        logic [NumberBits-1:0] sum_q = '0;
        always_ff @(posedge clk) begin
          sum_q <= reset ? '0 : sum_q + NumberBits'(comes && comes_stream <= i)
              - NumberBits'(leaves && in_stream <= i);
        end
        assign in_sums[i+1] = sum_q;
        always_comb if (begun && !Cover) begin
          assert (sum_q == in_sums[i] + NumberBits'(queued[i]));
          assert (sum_q <= i + 1);
        end
      end
      function automatic logic of_stream(input logic [InBits-1:0] value);
        of_stream = value[InBits-1-:StreamBits] == some_stream;
      endfunction
      always_comb if (begun && !Cover) begin
        assert (!in_zeroize_q && (!in_stall_q || in_valid || !c_live));
        assert (queued[some_stream] == (pos == Enter || pos == Queue));
        if (leaves && in_stream == some_stream) assert (queued[some_stream]);
        if (comes && comes_stream == some_stream) assert (!queued[some_stream]);
        assert (in_sums[Places] == NumberBits'(core_valid) + in_ram + to_in_ram);
        assert (read_q == left_q + to_in_ram);
        assert (in_ram < Places);
        assert (in_write_q == written_q[StreamBits-1:0]);
        assert (in_read_q == read_q[StreamBits-1:0] && in_after_q == in_read_q + 1'b1);
        assert (in_some_q == (in_ram != '0));
        if (in_valid) assert (of_stream(in_word) == (waits_here && place_of == '0));
        if (in_spare) assert (of_stream(in_spare_q) == (waits_here && place_of == to_in_spare));
        if (in_second_valid_q) begin
          assert (of_stream(in_second_q) == (waits_here && place_of == to_in_second));
        end
        if (in_first_valid_q) begin
          assert (of_stream(in_first_q) == (waits_here && place_of == to_in_first));
        end
        if (waits_here) begin
          assert (place_of < written_q - left_q);
          if (place_of < to_in_spare) assert (in_word == own_in);
          else if (place_of < to_in_second) assert (in_spare_q == own_in);
          else if (place_of < to_in_first) assert (in_second_q == own_in);
          else if (place_of < to_in_ram) assert (in_first_q == own_in);
        end
      end
      for (genvar p = 0; p < Places; p++) begin : gen_place
        wire [InBits-1:0] own_word = in_memory_words[InBits*p+:InBits];
        wire [StreamBits-1:0] from_read = StreamBits'(p) - in_read_q;
        wire own_place = waits_here && place_of >= to_in_ram && own_q[StreamBits-1:0] == p;
        always_comb if (begun && !Cover && NumberBits'(from_read) < in_ram) begin
          assert (of_stream(own_word) == own_place);
          if (own_place) assert (own_word == own_in);
        end
      end
    end else begin : gen_queue
      assign own_turn = 1'b1;
      assign queue_fine = 1'b1;
    end

    // --- Stored keys: a packet finds its key in the core until it ends.
    if (Stored) begin : gen_keys
      // of the interlock:
      (* keep *) logic pending, begin_valid, end_valid;
      (* keep *) logic [StreamBits-1:0] begin_stream, end_stream;
      (* keep *) logic [SlotBits-1:0] waiting_slot, loading_q, next_slot;
      (* keep *) logic [KeyBits-1:0] waiting_key;
      (* keep *) logic [2**SlotBits-1:0] known_slots;
      (* keep *) logic [SlotBits*Streams-1:0] slots;
      localparam int unsigned RunBits = $clog2(Streams + 1);
      (* keep *) logic [RunBits*2**SlotBits-1:0] run_counts;
      // of the core's model:
      (* keep *) logic load_busy_q;
      (* keep *) logic [SlotBits-1:0] load_slot_q;
      (* keep *) logic [KeyBits-1:0] load_key_q;
      (* keep *) logic [2**SlotBits-1:0] slot_valid_q;
      (* keep *) logic [KeyBits*2**SlotBits-1:0] slot_keys;
      // The packets that are under way in each stream.
      logic [Places-1:0] running = '0;
      logic [SlotBits-1:0] end_slot, own_slot;
      always_comb begin
        {end_slot, own_slot} = '0;
        for (int i = 0; i < Streams; i++) begin
          if (end_stream == i) end_slot = slots[SlotBits*i+:SlotBits];
          if (some_stream == i) own_slot = slots[SlotBits*i+:SlotBits];
        end
      end
      always_ff @(posedge clk) begin
        if (end_valid) running[end_stream] <= 1'b0;
        if (begin_valid) running[begin_stream] <= 1'b1;
        if (reset) running <= '0;
      end
      assign running_fine = queue_fine
          && (!end_valid || (running[end_stream] && 32'(end_stream) < Streams))
          && (!begin_valid || (32'(begin_stream) < Streams
              && (!running[begin_stream] || (end_valid && end_stream == begin_stream))));
      wire runs = sure && (open || ((pos != None || d_on) && p_last));
      always_comb if (begun && !Cover) begin
        if (end_valid && end_stream == some_stream) assert (running[some_stream] && !beyond);
        if (begin_valid && begin_stream == some_stream) begin
          assert (!beyond && (!running[some_stream] || (end_valid && end_stream == some_stream)));
        end
        assert (known_slots == k_known);
        assert (running[some_stream] == runs);
        if (runs) assert (own_slot == window && k_known[window]);
        if (load_busy_q) assert (loading_q == load_slot_q && !slot_valid_q[load_slot_q]);
      end
      for (genvar s = 0; s < 2 ** SlotBits; s++) begin : gen_slot
        // Packets under way with this slot, in the streams before each stream, and its own.
        wire [RunBits-1:0] sums[0:Streams];
        assign sums[0] = '0;
        for (genvar i = 0; i < Streams; i++) begin : gen_sum
          logic [RunBits-1:0] sum_q = '0;
          always_ff @(posedge clk) begin
            sum_q <= reset ? '0
                : sum_q + RunBits'(begin_valid && begin_stream <= i && next_slot == s)
                - RunBits'(end_valid && end_stream <= i && end_slot == s);
          end
          assign sums[i+1] = sum_q;
          always_comb if (begun && !Cover) begin
            assert (sum_q == sums[i] + RunBits'(running[i] && slots[SlotBits*i+:SlotBits] == s));
            assert (sum_q <= i + 1);
          end
        end
        wire [KeyBits-1:0] last_key = k_keys[KeyBits*s+:KeyBits];
        always_comb if (begun && !Cover) begin
          if (s >= KeySlots) assert (!k_known[s]);
          assert (run_counts[RunBits*s+:RunBits] == sums[Streams]);
          // Where the last key of the slot is: it waits, is expanded, or is stored.
          if (k_known[s]) begin
            if (pending && waiting_slot == s) assert (waiting_key == last_key);
            else if (load_busy_q && load_slot_q == s) assert (load_key_q == last_key);
            else assert (slot_valid_q[s] && slot_keys[KeyBits*s+:KeyBits] == last_key);
          end
          if (runs && window == s) begin
            assert (!(pending && waiting_slot == s) && !(load_busy_q && load_slot_q == s));
            assert (key == last_key);
          end
        end
      end
    end else begin : gen_keys
      assign running_fine = queue_fine;
    end
  end else begin : gen_no_steps
    assign answered = 1'b0;
    assign answer_q = '0;
  end

  logic unused_ok;
  assign unused_ok = &{1'b0, s_key_tready};
endmodule

`default_nettype wire
