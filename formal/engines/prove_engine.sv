// SPDX-License-Identifier: Apache-2.0
// aesforge_engine between two sides that do what they like, as long as they keep to the handshake:
// a beat that is followed comes out in its turn as the mode's function of it. Any beat may be the
// one, and core_model.sv stands for the core: so this holds for all beats and all functions.
`default_nettype none

module prove_engine #(
    parameter int unsigned KeyBits = 128,
    parameter int unsigned Direction = aesforge_pkg::Encrypt,
    parameter int unsigned Unroll = 10,
    parameter int unsigned SboxStages = 1,
    parameter int unsigned LinearStages = 1,
    parameter int unsigned KeySlots = 0,
    parameter int unsigned Tiles = 1,
    parameter int unsigned Modes = 2,
    parameter int unsigned IdBits = 1,
    parameter int unsigned UserBits = 1,
    parameter int unsigned Depth = 64,
    parameter int unsigned ContextTimeout = 1024,
    parameter int unsigned QueueStyle = aesforge_pkg::QueueBlock,
    // latency of the core, which its own proof shows
    parameter int unsigned CoreLatency = 21,
    // 1: also that from which all this follows from one cycle to the next; without, only what the
    // outside sees
    parameter bit Steps = 1'b1,
    // 1: asserts that what must be reachable is not
    parameter bit Cover = 1'b0,
    localparam int unsigned Nr = KeyBits / 32 + 6,
    localparam int unsigned Blocks = Unroll == Nr ? Tiles : 1,
    localparam bit Stored = KeySlots > 1,
    localparam int unsigned SlotBits = Stored ? $clog2(KeySlots) : 1
) (
    input logic                 clk,
    input logic                 rst,
    input logic                 s_key_tvalid,
    input logic [ SlotBits-1:0] s_key_slot,
    input logic [  KeyBits-1:0] s_key_tdata,
    input logic                 s_ctx_tvalid,
    input logic [  KeyBits-1:0] s_ctx_key,
    input logic [ SlotBits-1:0] s_ctx_slot,
    input logic [        127:0] s_ctx_iv,
    input logic [          1:0] s_ctx_mode,
    input logic                 s_ctx_decrypt,
    input logic                 s_axis_tvalid,
    input logic [128*Blocks-1:0] s_axis_tdata,
    input logic [ 16*Blocks-1:0] s_axis_tkeep,
    input logic                 s_axis_tlast,
    input logic [   IdBits-1:0] s_axis_tid,
    input logic [ UserBits-1:0] s_axis_tuser,
    input logic                 m_axis_tready,
    // the beat that is followed, chosen when it comes
    input logic                 mark
);
  localparam int unsigned Waits = Stored || Direction == aesforge_pkg::Encrypt ? 1 : 2;
  localparam int unsigned PlaceBits = $clog2(Depth);
  localparam int unsigned DataBits = 128 * Blocks;
  localparam int unsigned KeepBits = 16 * Blocks;
  localparam int unsigned IndexBits = Blocks > 1 ? $clog2(Blocks) : 1;
  localparam bit HasCtr = (Modes >> aesforge_pkg::ModeCtr) % 2 == 1;
  if (CoreLatency != Waits * Nr * (SboxStages + LinearStages) + 1) begin : gen_bad_latency
    $error("the latency is not that of the core");
  end

  logic s_ctx_tready, s_axis_tready, m_axis_tvalid, m_axis_tlast, s_key_tready;
  logic [DataBits-1:0] m_axis_tdata;
  logic [KeepBits-1:0] m_axis_tkeep;
  logic [IdBits-1:0] m_axis_tid;
  logic [UserBits:0] m_axis_tuser;
  aesforge_engine #(
      .KeyBits(KeyBits),
      .Direction(Direction),
      .Unroll(Unroll),
      .SboxStages(SboxStages),
      .LinearStages(LinearStages),
      .KeySlots(KeySlots),
      .Tiles(Tiles),
      .Modes(Modes),
      .IdBits(IdBits),
      .UserBits(UserBits),
      .Depth(Depth),
      .ContextTimeout(ContextTimeout),
      .QueueStyle(QueueStyle)
  ) u_engine (
      .clk,
      .rst,
      .zeroize(1'b0),
      .s_key_tvalid,
      .s_key_tready,
      .s_key_slot,
      .s_key_tdata,
      .s_ctx_tvalid,
      .s_ctx_tready,
      .s_ctx_key,
      .s_ctx_slot,
      .s_ctx_iv,
      .s_ctx_mode,
      .s_ctx_decrypt,
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

  // Constants of the core's model, connected by the script: the argument that is followed and its
  // value, which block of its beat it is, counted from 0, and the slot of its key (stored keys).
  (* keep *) logic [127:0] some_block, some_result;
  (* keep *) logic [KeyBits-1:0] some_key;
  (* keep *) logic [SlotBits-1:0] some_slot;
  (* keep *) logic some_decrypt;
  (* keep *) logic [IndexBits-1:0] some_index;

  // On AXI4-Stream, byte 0 is in the low bits; in the standards it comes first.
  function automatic logic [127:0] swap(input logic [127:0] data);
    for (int i = 0; i < 16; i++) swap[8*i+:8] = data[8*(15-i)+:8];
  endfunction
  function automatic logic [DataBits-1:0] swap_beat(input logic [DataBits-1:0] data);
    for (int i = 0; i < KeepBits; i++) swap_beat[8*i+:8] = data[8*(KeepBits-1-i)+:8];
  endfunction
  // The block of a beat that is followed, and the blocks one place before those of a beat.
  function automatic logic [127:0] own(input logic [DataBits-1:0] beat);
    own = beat[DataBits-1-:128];
    for (int i = 1; i < Blocks; i++) if (some_index == i) own = beat[DataBits-1-128*i-:128];
  endfunction
  function automatic logic [DataBits-1:0] shifted(
      input logic [127:0] before, input logic [DataBits-1:0] beat);
    shifted = DataBits'({before, beat} >> 128);
  endfunction
  function automatic logic [KeyBits-1:0] swap_key(input logic [KeyBits-1:0] data);
    for (int i = 0; i < KeyBits / 8; i++) swap_key[8*i+:8] = data[8*(KeyBits/8-1-i)+:8];
  endfunction

  // Whether the engine has a mode and direction.
  function automatic logic is_legal(input logic [1:0] mode, input logic decrypt);
    case (32'(mode))
      aesforge_pkg::ModeEcb:
      is_legal = Direction == aesforge_pkg::Both
          || decrypt == (Direction == aesforge_pkg::Decrypt);
      aesforge_pkg::ModeCtr: is_legal = 1'b1;
      default: is_legal = decrypt;
    endcase
    if ((Modes >> mode) % 2 == 0) is_legal = 1'b0;
  endfunction

  // What the engine should do, at its inputs.

  // Keys that were loaded: which slots have had one, and whether the last one of the slot that is
  // followed is the key that is followed.
  wire k_push = s_key_tvalid && s_key_tready;
  logic [2**SlotBits-1:0] k_known = '0;
  logic k_same = 1'b0;
  always_ff @(posedge clk) begin
    if (k_push) begin
      k_known[s_key_slot] <= s_key_slot < KeySlots;
      if (s_key_slot == some_slot) k_same <= swap_key(s_key_tdata) == some_key;
    end
    if (rst) k_known <= '0;
  end

  // Contexts that wait, the first one in `c_first`. `window`: a key, or with stored keys its slot.
  localparam int unsigned WindowBits = Stored ? SlotBits : KeyBits;
  localparam int unsigned ContextBits = WindowBits + 128 + 3;
  logic [1:0] c_inside = '0;
  logic [ContextBits-1:0] c_first, c_second, c_in;
  wire accept = s_axis_tvalid && s_axis_tready;
  wire leave = m_axis_tvalid && m_axis_tready;
  wire c_push = s_ctx_tvalid && s_ctx_tready;
  logic within = 1'b0;
  wire c_pop = accept && !within && c_inside != '0;
  // An engine of ECB alone keeps no IV.
  wire [127:0] c_iv = Modes == 2 ** aesforge_pkg::ModeEcb ? '0 : swap(s_ctx_iv);
  wire [WindowBits-1:0] c_window = Stored ? WindowBits'(s_ctx_slot)
      : WindowBits'(swap_key(s_ctx_key));
  assign c_in = {c_window, c_iv, s_ctx_mode, s_ctx_decrypt};

  // The packet of the last beat: its context, whether there was a key in its slot, whether it uses
  // the key that is followed, and whether an error is known.
  logic known = 1'b0, keyed = 1'b0, uses = 1'b0, bad = 1'b0;
  logic [WindowBits-1:0] window;
  logic [127:0] iv;
  logic [1:0] mode;
  logic decrypt;
  // The last beat of the packet: its bytes, and its first counter block (SP 800-38A Sec. 6.5).
  logic [DataBits-1:0] data;
  logic [127:0] count;

  // The same for the beat that is accepted now.
  logic known_d;
  logic [WindowBits-1:0] window_d;
  logic [127:0] iv_d;
  logic [1:0] mode_d;
  logic decrypt_d;
  assign known_d = within ? known : c_inside != '0;
  assign {window_d, iv_d, mode_d, decrypt_d} = within ? {window, iv, mode, decrypt} : c_first;
  // All of a packet uses the key that its slot had when it began.
  wire keyed_d = !Stored || (within ? keyed : k_known[SlotBits'(window_d)]);
  wire uses_d = !Stored ? window_d == WindowBits'(some_key)
      : within ? uses : window_d == WindowBits'(some_slot) && k_same;
  wire ecb_d = mode_d == 2'(aesforge_pkg::ModeEcb);
  wire ctr_d = mode_d == 2'(aesforge_pkg::ModeCtr);
  wire cbc_d = mode_d == 2'(aesforge_pkg::ModeCbc);
  wire cfb_d = mode_d == 2'(aesforge_pkg::ModeCfb);
  wire legal = is_legal(mode_d, decrypt_d) && keyed_d;
  // An error: a packet without a context, or with one that the engine cannot serve; bytes kept that
  // are not the first ones; a beat that is not full, but for the last one of a packet, and there
  // part of a block in ECB and CBC. What follows in the packet is an error too.
  wire full_d = &s_axis_tkeep;
  wire hole_d = (s_axis_tkeep & (s_axis_tkeep + KeepBits'(1))) != '0;
  logic part_d;
  always_comb begin
    part_d = 1'b0;
    for (int i = 0; i < Blocks; i++) begin
      if (s_axis_tkeep[16*i+:16] != '0 && s_axis_tkeep[16*i+:16] != '1) part_d = 1'b1;
    end
  end
  wire bad_d = (within ? bad : !known_d || !legal) || hole_d
      || (!full_d && (!s_axis_tlast || (part_d && (ecb_d || cbc_d))));
  wire block_d = !bad_d && s_axis_tkeep != '0;
  wire [DataBits-1:0] data_d = swap_beat(s_axis_tdata);
  // The blocks before those of the beat: the last one of the beat before, or the IV, and its own.
  wire [DataBits-1:0] before_d = shifted(within ? data[127:0] : iv_d, data_d);
  wire [127:0] count_d = within ? count + 128'(Blocks) : iv_d;
  // What the cipher gets for the block that is followed, its direction, and what is added to the
  // result (SP 800-38A Sec. 6).
  wire inverse_d = decrypt_d && (ecb_d || cbc_d);
  wire [127:0] argument_d = ctr_d ? count_d + 128'(some_index)
      : own(cfb_d ? before_d : data_d);
  wire [127:0] addend_d = ctr_d || cfb_d ? own(data_d) : cbc_d ? own(before_d) : '0;

  // The beat that is followed: the number of its place, and what must come out of it, of its bytes
  // those of one block. Numbers count to twice the places.
  logic [PlaceBits:0] n_in = '0, n_out = '0;
  (* anyconst *) logic [PlaceBits:0] some_number;
  logic marked = 1'b0, good, block, last;
  logic [KeepBits-1:0] keep;
  logic [127:0] added;
  logic [IdBits-1:0] id;
  logic [UserBits-1:0] user;
  wire chosen = accept && mark && !marked && n_in == some_number && (!block_d
      || (argument_d == some_block && uses_d
          && (Direction != aesforge_pkg::Both || inverse_d == some_decrypt)));
  wire turn = marked && n_out == some_number;
  logic [15:0] own_keep;
  logic [127:0] m_own;
  always_comb begin
    {own_keep, m_own} = {keep[15:0], m_axis_tdata[127:0]};
    for (int i = 1; i < Blocks; i++) begin
      if (some_index == i) {own_keep, m_own} = {keep[16*i+:16], m_axis_tdata[128*i+:128]};
    end
  end
  wire [127:0] whole = swap(some_result ^ added);
  logic [127:0] wanted;
  for (genvar i = 0; i < 16; i++) begin : gen_wanted
    assign wanted[8*i+:8] = block && own_keep[i] ? whole[8*i+:8] : 8'd0;
  end
  wire [PlaceBits:0] inside = n_in - n_out;

  // Waits, and what is seen on the way.
  logic begun = 1'b0, m_stalled = 1'b0, s_stalled = 1'b0, c_stalled = 1'b0;
  logic [DataBits-1:0] m_data;
  logic [KeepBits-1:0] m_keep;
  logic m_last;
  logic [IdBits-1:0] m_id;
  logic [UserBits:0] m_user;
  localparam int unsigned WaitBits = ContextTimeout > 0 ? $clog2(ContextTimeout + 1) : 1;
  // Cycles that the first beat of a packet has waited without a context.
  logic [WaitBits-1:0] waited = '0;
  logic seen_error = 1'b0, seen_later = 1'b0, later = 1'b0;

  always_ff @(posedge clk) begin
    begun <= 1'b1;
    c_inside <= c_inside + 2'(c_push) - 2'(c_pop);
    if (c_pop) c_first <= c_second;
    if (c_push && (c_inside - 2'(c_pop)) == 2'd0) c_first <= c_in;
    if (c_push && (c_inside - 2'(c_pop)) == 2'd1) c_second <= c_in;
    if (accept) begin
      within <= !s_axis_tlast;
      {known, keyed, uses, bad} <= {known_d, keyed_d, uses_d, bad_d};
      {window, iv, mode, decrypt} <= {window_d, iv_d, mode_d, decrypt_d};
      {data, count} <= {data_d, count_d};
    end
    n_in  <= n_in + (PlaceBits + 1)'(accept);
    n_out <= n_out + (PlaceBits + 1)'(leave);
    if (chosen) begin
      marked <= 1'b1;
      {good, block, last} <= {!bad_d, block_d, s_axis_tlast};
      {keep, id, user} <= {s_axis_tkeep, s_axis_tid, s_axis_tuser};
      added <= addend_d;
      later <= within;
    end
    if (turn && leave) begin
      marked <= 1'b0;
      seen_later <= seen_later || (block && later && seen_error);
    end
    if (leave && m_axis_tuser[0]) seen_error <= 1'b1;
    waited <= !s_axis_tvalid || accept || within || c_inside != '0 ? '0
        : waited == WaitBits'(ContextTimeout) ? waited : waited + 1'b1;
    m_stalled <= m_axis_tvalid && !m_axis_tready && !rst;
    {m_data, m_keep, m_last, m_id, m_user}
        <= {m_axis_tdata, m_axis_tkeep, m_axis_tlast, m_axis_tid, m_axis_tuser};
    s_stalled <= s_axis_tvalid && !s_axis_tready && !rst;
    c_stalled <= s_ctx_tvalid && !s_ctx_tready && !rst;
    if (rst) begin
      {n_in, n_out, c_inside, waited} <= '0;
      {marked, within} <= '0;
    end
  end

  always_comb begin
    assume (begun || rst);
    assume (some_index < Blocks);
    // The senders wait as the handshake says.
    if (s_stalled) assume (s_axis_tvalid);
    if (c_stalled) assume (s_ctx_tvalid);
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
      // 2. No beat is invented, and no more are inside than there are places for.
      if (m_axis_tvalid) assert (inside != '0);
      assert (inside <= Depth + 3);
      // 3. The beat that is followed leaves in its turn, as the mode's function of it.
      if (turn && m_axis_tvalid) begin
        assert ({m_axis_tkeep, m_axis_tlast, m_axis_tid} == {keep, last, id});
        assert (m_axis_tuser == {user, !good});
        assert (m_own == wanted);
      end
      // 4. No more than two contexts wait.
      if (c_push) assert (c_inside < 2'd2);
      // 5. A packet goes on without a context only after it has waited for one.
      if (accept && !within && c_inside == '0) begin
        assert (ContextTimeout != 0 && waited == WaitBits'(ContextTimeout));
      end
    end
  end

  // From one cycle to the next: where each beat is, and what the registers hold.
  if (Steps) begin : gen_steps
    // Levels that a beat goes through: the head, the entry of the modes, the stages of the counter,
    // those of the core, and three more. After them comes the output queue.
    localparam int unsigned S = !HasCtr ? 0 : Blocks > 1 ? 10 : 8;
    localparam int unsigned L = CoreLatency;
    localparam int unsigned Core = 2 + S;
    localparam int unsigned First = Core + L;
    localparam int unsigned Out = First + 2;
    localparam int unsigned Levels = Out + 1;

    // Registers of the engine, connected by the script.
    // of its shell:
    (* keep *) logic zeroizing, core_zeroize, zeroize_front_q, zeroize_back_q, queue_zeroize_q;
    (* keep *) logic zeroizing_q;
    (* keep *) logic [Blocks-1:0] zeroize_data_q;
    (* keep *) logic head_q, first_q, last_q, head_error, broken_q, context_error_q, partial_q;
    (* keep *) logic hole_q, full_q, inside_q, ready_q, fresh_q, credit, missing;
    (* keep *) logic [DataBits-1:0] data_q;
    (* keep *) logic [KeepBits-1:0] keep_q;
    (* keep *) logic [IdBits-1:0] id_q;
    (* keep *) logic [UserBits-1:0] user_q;
    (* keep *) logic step, beat_ready, beat_valid, beat_first, beat_block, beat_last, beat_error_q;
    (* keep *) logic [DataBits-1:0] beat_data, beat_xor;
    (* keep *) logic [KeepBits-1:0] beat_keep;
    (* keep *) logic [IdBits-1:0] beat_id_q;
    (* keep *) logic [UserBits-1:0] beat_user;
    localparam int unsigned HeaderBits = Stored ? SlotBits + 3 : 3;
    localparam int unsigned PayloadBits = Stored ? 128 : KeyBits + 128;
    (* keep *) logic [HeaderBits-1:0] open_header, beat_header;
    (* keep *) logic [PayloadBits-1:0] beat_payload;
    (* keep *) logic [PlaceBits-1:0] side_write_q, side_read_q, used_q;
    (* keep *) logic [1:0] delta_q, carry_q;
    localparam int unsigned DigitBits = PlaceBits > 4 ? 4 : PlaceBits;
    wire [PlaceBits:0] used = {1'b0, used_q}
        + ((PlaceBits + 1)'($signed(carry_q)) << DigitBits);
    (* keep *) logic result_first_valid_q, result_second_valid_q, out_valid_q;
    (* keep *) logic [DataBits-1:0] result_first_q, result_second_q, out_data_q;
    (* keep *) logic [KeepBits-1:0] out_keep_q;
    (* keep *) logic out_error_q, out_last_q;
    (* keep *) logic [IdBits-1:0] out_id_q;
    (* keep *) logic [UserBits-1:0] out_user_q;
    localparam int unsigned SideBits = 160 * Blocks + IdBits + UserBits + 3;
    (* keep *) logic [SideBits-1:0] side_word_q, side_first_q, side_second_q;
    (* keep *) logic [WaitBits-1:0] wait_count;
    (* keep *) logic wait_end_q;
    // of the contexts:
    (* keep *) logic ctx_valid, ctx_stall_q;
    (* keep *) logic [HeaderBits-1:0] ctx_header, ctx_spare_q;
    (* keep *) logic [1:0] ctx_read_q, ctx_write_q, ctx_write_delayed_q, place_q;
    (* keep *) logic [PayloadBits-1:0] payload_q;
    (* keep *) logic [(PayloadBits+31)/32-1:0] ctx_zeroize_q;
    (* keep *) logic [4*PayloadBits-1:0] payloads;
    // of the output queue:
    localparam int unsigned WordBits = 144 * Blocks + IdBits + UserBits + 2;
    (* keep *) logic [PlaceBits-1:0] queue_write_q, queue_read_q, queue_after_q;
    (* keep *) logic queue_leave, some_q, queue_first_valid_q, queue_second_valid_q, stall_q;
    (* keep *) logic [WordBits-1:0] queue_word_q, queue_first_q, queue_second_q, spare_q;
    // and of core and mode:
    (* keep *) logic [L-1:0] core_valid_q, core_same_q, skip_q;
    (* keep *) logic skip_rst_q;
    // The places that the models of the queues' RAM follow are those of the beat that is followed.
    (* keep *) logic [PlaceBits-1:0] side_place, out_place;
    always_comb begin
      assume (side_place == some_number[PlaceBits-1:0]);
      assume (out_place == some_number[PlaceBits-1:0]);
    end

    // Blocks after the first have queues of their own, which do what that of the first does.
    if (Blocks > 1) begin : gen_apart
      (* keep *) logic [(Blocks-1)*(3*PlaceBits+7)-1:0] states;
      (* keep *) logic [(Blocks-1)*PlaceBits-1:0] out_places;
      always_comb begin
        assume (out_places == {(Blocks - 1) {some_number[PlaceBits-1:0]}});
        if (begun && !Cover) begin
          assert (states == {(Blocks - 1) {
            queue_zeroize_q, queue_leave, queue_write_q, queue_read_q, queue_after_q, some_q,
            queue_first_valid_q, queue_second_valid_q, stall_q, m_axis_tvalid
          }});
        end
      end
    end

    // The beat on a level moves on to the next one. A looped core may hold those before it.
    wire [Levels-1:0] moves = {{(Levels - Core) {1'b1}}, {(Core - 1) {beat_ready}}, step};

    // The beats on their levels: how many have left the level before, less those that have left the
    // RAM of the output queue; and whether the one that is followed has left the level before.
    logic [PlaceBits:0] distance[0:Levels];
    logic [Levels:0] passed;
    logic [Levels-1:0] there;
    // How many have left that RAM, and how many do so before the one that is followed.
    logic [PlaceBits:0] reads_q = '0, way_q, distance_q = '0;
    always_ff @(posedge clk) begin
      reads_q <= rst ? '0 : reads_q + (PlaceBits + 1)'(queue_leave);
      distance_q <= rst ? '0
          : distance_q + (PlaceBits + 1)'(accept) - (PlaceBits + 1)'(queue_leave);
      way_q <= (chosen ? distance_q : way_q) - (PlaceBits + 1)'(queue_leave);
    end
    assign distance[0] = distance_q;
    assign passed[0] = marked;
    for (genvar k = 0; k < Levels; k++) begin : gen_level
      logic [PlaceBits:0] own_q = '0;
      logic passed_q = 1'b0;
      always_ff @(posedge clk) begin
        own_q <= rst ? '0 : (moves[k] ? distance[k] : own_q) - (PlaceBits + 1)'(queue_leave);
        passed_q <= (moves[k] ? passed[k] : passed_q) && !rst && !(turn && leave);
      end
      assign distance[k+1] = own_q;
      assign passed[k+1] = passed_q;
    end
    assign there[0] = head_q;
    assign there[1] = beat_valid;
    // A reset takes the last of these at once, the others a cycle later.
    assign there[Core+:L] = core_valid_q | (skip_rst_q ? '0 : skip_q);
    assign there[First] = result_first_valid_q;
    assign there[First+1] = result_second_valid_q;
    assign there[Out] = out_valid_q;

    // The last beat that has been on a level: its context was a legal one, what the cipher gets for
    // the block that is followed, and its bytes. `loads`: no counter goes on from the beat before.
    localparam int unsigned Last = 2 + S;
    logic served[0:Last];
    logic [127:0] argument[0:Last];
    logic [DataBits-1:0] bytes[0:Last];
    logic [Last:0] loads;
    logic first_beat_q = 1'b0;
    logic load_q = 1'b0, served_q = 1'b0;
    logic [127:0] argument_q, addend_q;
    always_ff @(posedge clk) begin
      if (accept) begin
        {argument_q, addend_q} <= {argument_d, addend_d};
        {first_beat_q, load_q, served_q} <= {!within, !ctr_d || !within, known_d && legal};
      end
      if (rst) served_q <= 1'b0;
    end
    assign argument[0] = argument_q;
    assign bytes[0] = data;
    assign served[0] = served_q;
    assign loads[0] = load_q;
    for (genvar k = 0; k < Last; k++) begin : gen_last
      logic own_served_q = 1'b0, own_loads_q;
      logic [127:0] own_argument_q;
      logic [DataBits-1:0] own_bytes_q;
      always_ff @(posedge clk) begin
        if (there[k] && moves[k]) begin
          {own_argument_q, own_bytes_q} <= {argument[k], bytes[k]};
          {own_served_q, own_loads_q} <= {served[k], loads[k]};
        end
        if (rst) own_served_q <= 1'b0;
      end
      assign argument[k+1] = own_argument_q;
      assign bytes[k+1] = own_bytes_q;
      assign served[k+1] = own_served_q;
      assign loads[k+1] = own_loads_q;
    end
    // What the cipher gets for its first block, and whether the others count on from there.
    logic [127:0] lead[0:Last];
    logic [Last:0] counts;
    if (Blocks > 1) begin : gen_lead
      logic [127:0] lead_q;
      logic counts_q;
      always_ff @(posedge clk) if (accept) begin
        lead_q <= ctr_d ? count_d : cfb_d ? before_d[DataBits-1-:128] : data_d[DataBits-1-:128];
        counts_q <= ctr_d;
      end
      assign lead[0] = lead_q;
      assign counts[0] = counts_q;
      for (genvar k = 0; k < Last; k++) begin : gen_level
        logic [127:0] own_lead_q;
        logic own_counts_q;
        always_ff @(posedge clk) begin
          if (there[k] && moves[k]) {own_lead_q, own_counts_q} <= {lead[k], counts[k]};
        end
        assign lead[k+1] = own_lead_q;
        assign counts[k+1] = own_counts_q;
      end
      for (genvar k = 0; k <= Last; k++) begin : gen_follow
        always_comb if (begun && !Cover && served[k]) begin
          if (counts[k]) assert (argument[k] == lead[k] + 128'(some_index));
          else if (some_index == '0) assert (argument[k] == lead[k]);
        end
      end
    end else begin : gen_lead
      assign lead = argument;
      assign counts = '0;
    end
    // The context and the place in its packet of the last beat that was at the entry of the modes.
    logic entry_first_q, entry_decrypt_q;
    logic [1:0] entry_mode_q;
    logic [127:0] entry_iv_q, entry_addend_q;
    logic [WindowBits-1:0] entry_window_q;
    always_ff @(posedge clk) begin
      if (there[0] && moves[0]) begin
        {entry_first_q, entry_mode_q, entry_decrypt_q} <= {first_beat_q, mode, decrypt};
        {entry_iv_q, entry_window_q, entry_addend_q} <= {iv, window, addend_q};
      end
    end

    // The contexts that wait, and one that came in the last cycle.
    logic c_new = 1'b0, c_live = 1'b0;
    always_ff @(posedge clk) {c_new, c_live} <= {c_push && !rst, !rst};
    wire [1:0] c_end = ctx_read_q + c_inside;
    wire [1:0] c_next = ctx_read_q + 2'd1;
    wire [PayloadBits-1:0] payload_first = payloads[PayloadBits*ctx_read_q+:PayloadBits];
    wire [PayloadBits-1:0] payload_next = payloads[PayloadBits*c_next+:PayloadBits];
    wire [PayloadBits-1:0] payload_open = payloads[PayloadBits*place_q+:PayloadBits];
    // A key is in the payload of a context, a slot in its header.
    function automatic logic [HeaderBits-1:0] header_of(input logic [ContextBits-1:0] context);
      header_of = HeaderBits'({context[ContextBits-1-:WindowBits], context[2:0]});
    endfunction
    function automatic logic [PayloadBits-1:0] payload_of(input logic [ContextBits-1:0] context);
      payload_of = PayloadBits'(context[ContextBits-1:3]);
    endfunction
    // The contexts of the beats at head and entry.
    wire [ContextBits-1:0] context = {window, iv, mode, decrypt};
    wire [ContextBits-1:0] entry_context
        = {entry_window_q, entry_iv_q, entry_mode_q, entry_decrypt_q};
    wire [WindowBits-1:0] some_window = Stored ? WindowBits'(some_slot) : WindowBits'(some_key);

    // Counts from the output on.
    wire [PlaceBits:0] ahead = some_number - n_out;
    wire [PlaceBits:0] to_output = (PlaceBits + 1)'(m_axis_tvalid);
    // A reset may leave `stall_q` set for a cycle, without a word.
    wire [PlaceBits:0] to_spare = to_output + (PlaceBits + 1)'(stall_q && m_axis_tvalid);
    wire [PlaceBits:0] to_second = to_spare + (PlaceBits + 1)'(queue_second_valid_q);
    wire [PlaceBits:0] to_first = to_second + (PlaceBits + 1)'(queue_first_valid_q);
    // Places of the queues for the next beats there.
    wire [PlaceBits:0] side_write = reads_q + distance[2];
    wire [PlaceBits:0] side_read = reads_q + distance[First];
    wire [PlaceBits:0] queue_write = reads_q + distance[Levels];
    // The one that is followed has not left the RAM of the output queue.
    wire follows = marked && !way_q[PlaceBits];

    // What the beat that is followed looks like on its way.
    localparam int unsigned XorBits = 144 * Blocks;
    wire [SideBits-XorBits-1:0] side = {1'b0, !good, last, keep, id, user};
    function automatic logic is_side(input logic [SideBits-1:0] value);
      logic [DataBits-1:0] addend;
      is_side = value[SideBits-1:XorBits] == side;
      for (int i = 0; i < 16 * Blocks; i++) begin
        addend[8*i+:8] = value[9*i+:8];
        if (value[9*i+8] != (block && keep[16*Blocks-1-i])) is_side = 1'b0;
      end
      if (block && own(addend) != added) is_side = 1'b0;
    endfunction
    localparam int unsigned RestBits = WordBits - DataBits;
    wire [RestBits-1:0] rest = {keep, last, id, user, !good};
    function automatic logic is_word(input logic [WordBits-1:0] value);
      is_word = value[RestBits-1:0] == rest;
      for (int i = 0; i < Blocks; i++) begin
        if (some_index == i && value[RestBits+128*i+:128] != wanted) is_word = 1'b0;
      end
    endfunction

    always_comb if (begun && !Cover) begin
      assert (!zeroizing && !core_zeroize && !zeroize_front_q && !zeroize_back_q
          && !queue_zeroize_q && !zeroizing_q && zeroize_data_q == '0 && ctx_zeroize_q == '0);
      assert (!skip_rst_q
          || (!beat_valid && !skip_q[L-1] && core_valid_q == '0 && distance_q == '0));

      // Order: beats never pass one another.
      assert (reads_q == n_out + to_first);
      assert (distance_q == n_in - reads_q);
      assert (distance_q == used + (PlaceBits + 1)'($signed(delta_q)));
      assert (delta_q != 2'b10 && carry_q != 2'b10 && used <= (PlaceBits + 1)'(Depth - 1));
      // The lowest digit of a count whose carry is on its way.
      assert (carry_q != 2'b01 || used_q[DigitBits-1:0] == '0);
      assert (carry_q != 2'b11 || &used_q[DigitBits-1:0]);
      assert (!credit || used <= (PlaceBits + 1)'(Depth - 4));
      assert (!ready_q || distance_q <= (PlaceBits + 1)'(Depth - 2));
      assert (inside_q == within && fresh_q == (ready_q && !within));
      assert (side_write_q == side_write[PlaceBits-1:0]);
      assert (side_read_q == side_read[PlaceBits-1:0]);
      assert (queue_write_q == queue_write[PlaceBits-1:0]);
      assert (queue_read_q == reads_q[PlaceBits-1:0]);
      assert (queue_after_q == queue_read_q + PlaceBits'(1));
      assert (some_q == (distance[Levels] != '0));
      if (marked) begin
        assert (ahead < inside && way_q == some_number - reads_q);
        assert (follows == (ahead >= to_first));
      end
      if (follows) begin
        assert (distance[0] > way_q);
        if (passed[1]) assert (distance[1] > way_q);
        if (passed[2]) assert (distance[2] > way_q);
        if (passed[Levels]) assert (distance[Levels] > way_q);
      end
    end
    for (genvar k = 0; k <= Levels; k++) begin : gen_order
      always_comb if (begun && !Cover) begin
        assert (!distance[k][PlaceBits]);
        assert (passed[k] ? marked : !marked || follows);
      end
    end
    for (genvar k = 0; k < Levels; k++) begin : gen_count
      always_comb if (begun && !Cover) begin
        assert (distance[k] == distance[k+1] + (PlaceBits + 1)'(there[k]));
        assert (distance[k] != '0 || distance[k+1] == '0);
        assert (!passed[k+1] || passed[k]);
        if (passed[k] && !passed[k+1]) assert (there[k] && distance[k+1] == way_q);
      end
    end

    // Contexts.
    always_comb if (begun && !Cover) begin
      assert (c_inside == 2'(ctx_valid) + 2'(ctx_stall_q && ctx_valid));
      assert (ctx_write_q == c_end && (c_inside != '0 || !c_new));
      if (c_live) assert (ctx_write_delayed_q == ctx_write_q - 2'(c_new));
      else assert (c_inside == '0 && !c_new && !within && !head_q && !credit);
      assert (!ctx_stall_q || ctx_valid || !c_live);
      if (c_inside != '0) begin
        assert (ctx_header == header_of(c_first));
        assert ((c_inside == 2'd1 && c_new ? payload_q : payload_first) == payload_of(c_first));
      end
      if (c_inside == 2'd2) begin
        assert (ctx_spare_q == header_of(c_second));
        assert ((c_new ? payload_q : payload_next) == payload_of(c_second));
      end
      if (known && (within || head_q)) begin
        assert (place_q == ctx_read_q - 2'd1 && payload_open == payload_of(context));
        assert (open_header == header_of(context));
      end
      // The wait for one.
      assert (waited == '0 || s_stalled);
      assert (ContextTimeout == 0 || wait_count == waited);
      assert (ContextTimeout == 0
          || wait_end_q == (ContextTimeout == 1 || waited == WaitBits'(ContextTimeout - 1)));
      assert (missing == (ContextTimeout != 0 && waited == WaitBits'(ContextTimeout)));
      assert (!fresh_q || c_inside != '0 || missing);
    end

    // Head and entry.
    always_comb if (begun && !Cover) begin
      if (head_q) begin
        assert (data_q == data && first_q == first_beat_q && last_q == !within);
        assert (head_error == bad);
      end else if (within) assert (broken_q == bad);
      if (!within && !head_q) assert (!broken_q);
      if (within) assert (partial_q == (mode[0] && known) || !known);
      if (within) assert (bad || !context_error_q);
      if (marked && !passed[1]) begin
        assert ({keep_q[0] && !head_error, head_error, last_q, keep_q, id_q, user_q}
            == {block, !good, last, keep, id, user});
        if (block) begin
          assert (argument_q == some_block && window == some_window && uses);
          assert (served_q && addend_q == added);
          assert (Direction != aesforge_pkg::Both
              || (decrypt && (mode == 2'd0 || mode == 2'd2)) == some_decrypt);
        end
      end
      if (beat_valid) assert (beat_data == bytes[1]);
      if (beat_valid) assert (beat_first == entry_first_q);
      if (beat_valid && served[1]) begin
        assert (beat_header == header_of(entry_context));
        assert (beat_payload == payload_of(entry_context));
        assert (own(beat_xor) == entry_addend_q);
      end
      if (passed[1] && !passed[2]) begin
        assert ({beat_block, beat_error_q, beat_last, beat_keep, beat_id_q, beat_user}
            == {block, !good, last, keep, id, user});
        if (block) begin
          assert (argument[1] == some_block && entry_window_q == some_window && served[1]
              && entry_addend_q == added);
          assert (Direction != aesforge_pkg::Both || (entry_decrypt_q
              && (entry_mode_q == 2'd0 || entry_mode_q == 2'd2)) == some_decrypt);
        end
      end
    end

    // What entry and counter make of the beats (SP 800-38A Sec. 6).
    wire entry_ctr = entry_mode_q == 2'(aesforge_pkg::ModeCtr);
    wire entry_cfb = entry_mode_q == 2'(aesforge_pkg::ModeCfb);
    wire entry_cbc = entry_mode_q == 2'(aesforge_pkg::ModeCbc);
    // The blocks before those of the beats at head and entry.
    logic [DataBits-1:0] before[0:1];
    assign before[0] = shifted(first_beat_q ? iv : bytes[1][127:0], bytes[0]);
    assign before[1] = shifted(entry_first_q ? entry_iv_q : bytes[2][127:0], bytes[1]);
    for (genvar k = 0; k < Last; k++) begin : gen_sequence
      always_comb if (begun && !Cover) begin
        // Where no beat is, the last one is on the next level or further.
        if (!there[k]) assert (served[k] == served[k+1]);
        if (!there[k] && served[k]) begin
          assert (argument[k] == argument[k+1] && bytes[k] == bytes[k+1]);
          assert (lead[k] == lead[k+1]);
          assert (loads[k] == loads[k+1] && counts[k] == counts[k+1]);
        end
        if (there[k] && served[k] && !loads[k]) begin
          assert (served[k+1] && lead[k] == lead[k+1] + 128'(Blocks));
        end
      end
    end
    always_comb if (begun && !Cover) begin
      if (within) assert (served_q == (known && legal) && (bad || served_q));
      if (head_q && served_q) assert (known);
      if ((head_q || within) && served_q) assert (is_legal(mode, decrypt));
      if (beat_valid && served[1]) assert (is_legal(entry_mode_q, entry_decrypt_q));
      if (within && served_q) assert (!(mode == 2'(aesforge_pkg::ModeCtr)) || lead[0] == count);
      if (head_q && served_q) begin
        assert (load_q == (mode != 2'(aesforge_pkg::ModeCtr) || first_beat_q));
        if (Blocks > 1) assert (counts[0] == (mode == 2'(aesforge_pkg::ModeCtr)));
        if (!first_beat_q) assert (served[1]);
        if (mode == 2'(aesforge_pkg::ModeCtr)) begin
          assert (addend_q == own(data) && (!first_beat_q || lead[0] == iv));
        end else if (mode == 2'(aesforge_pkg::ModeCfb)) begin
          assert (addend_q == own(data) && argument_q == own(before[0]));
          assert (lead[0] == before[0][DataBits-1-:128]);
        end else begin
          assert (argument_q == own(data) && lead[0] == data[DataBits-1-:128]);
          assert (addend_q == (mode == 2'(aesforge_pkg::ModeCbc) ? own(before[0]) : '0));
        end
      end
      if (beat_valid && served[1]) begin
        assert (loads[1] == (!entry_ctr || entry_first_q));
        if (Blocks > 1) assert (counts[1] == entry_ctr);
        if (!entry_first_q) assert (served[2]);
        if (entry_ctr) begin
          assert (entry_addend_q == own(bytes[1]) && (!entry_first_q || lead[1] == entry_iv_q));
        end else if (entry_cfb) begin
          assert (entry_addend_q == own(bytes[1]) && argument[1] == own(before[1]));
          assert (lead[1] == before[1][DataBits-1-:128]);
        end else begin
          assert (argument[1] == own(bytes[1]) && lead[1] == bytes[1][DataBits-1-:128]);
          assert (entry_addend_q == (entry_cbc ? own(before[1]) : '0));
        end
      end
    end
    if (Modes >= 4) begin : gen_previous
      (* keep *) logic [127:0] previous_q;
      always_comb if (begun && !Cover && served[2]) begin
        assert (previous_q == bytes[2][127:0]);
      end
    end
    if (HasCtr) begin : gen_counter
      localparam int unsigned Bits = 16;
      localparam int unsigned PassBits = WindowBits + 2;
      (* keep *) logic [S-1:0] valid_q, take_q;
      (* keep *) logic [S*PassBits-1:0] pass_q;
      // Register j of word i in bits 16 (8 i + j) and up.
      (* keep *) logic [1023:0] late_q, early_q;
      (* keep *) logic [7:0] carry_q, count_load_q;
      assign there[2+:S] = valid_q;
      always_comb if (begun && !Cover) begin
        assert (take_q == valid_q);
        assert (!skip_rst_q || valid_q == '0);
      end
      for (genvar i = 0; i < 8; i++) begin : gen_word
        localparam int unsigned Level = 2 + i;
        always_comb if (begun && !Cover) begin
          if (served[Level]) begin
            assert (late_q[128*i+:Bits] == lead[Level][Bits*i+:Bits]);
          end
          if (there[Level] && served[Level]) begin
            assert (count_load_q[i] == loads[Level]);
            // A sum wraps if it is less than what was added.
            if (i < 7 && !loads[Level]) begin
              assert (carry_q[i] == (lead[Level][Bits*(i+1)-1:0] < Bits'(Blocks)));
            end
          end
        end
        for (genvar j = 1; j < 8; j++) begin : gen_place
          always_comb if (begun && !Cover) begin
            if (i + j < 8) begin
              if (there[Level+j] && served[Level+j]) begin
                assert (late_q[128*i+Bits*j+:Bits] == lead[Level+j][Bits*i+:Bits]);
              end
            end
            if (j <= i) begin
              if (there[1+j] && served[1+j] && loads[1+j]) begin
                assert (early_q[128*i+Bits*(j-1)+:Bits] == lead[1+j][Bits*i+:Bits]);
              end
            end
          end
        end
      end
      for (genvar i = 0; i < S; i++) begin : gen_stage
        localparam int unsigned Level = 2 + i;
        always_comb if (begun && !Cover) begin
          if (there[Level] && passed[Level] && !passed[Level+1]) begin
            assert (pass_q[PassBits*i] == !block);
            if (block) begin
              assert (served[Level] && argument[Level] == some_block);
              assert (pass_q[PassBits*i+2+:WindowBits] == some_window);
              assert (Direction != aesforge_pkg::Both || pass_q[PassBits*i+1] == some_decrypt);
            end
          end
        end
      end
      if (Blocks > 1) begin : gen_blocks
        // Register j of word i of block b in bits 16 (64 b + 8 i + j) and up.
        (* keep *) logic [1024*Blocks-1:0] own_q, sum_q;
        // Word i of block b in bits 16 (8 b + i) and up, and in bit 8 b + i.
        (* keep *) logic [128*Blocks-1:0] base_q;
        (* keep *) logic [8*Blocks-1:0] over_q;
        (* keep *) logic [Blocks-1:0] more_q;
        (* keep *) logic [S-1:0] count_q;
        for (genvar i = 0; i < 8; i++) begin : gen_own
          localparam int unsigned Level = 2 + i;
          always_comb if (begun && !Cover && there[Level] && served[Level]) begin
            assert (count_q[i] == counts[Level]);
          end
          for (genvar b = 0; b < Blocks; b++) begin : gen_block
            wire [Bits-1:0] base = base_q[128*b+Bits*i+:Bits];
            always_comb if (begun && !Cover && some_index == b) begin
              if (there[Level+1] && served[Level+1]) begin
                // The low four bits of a block have its number already.
                if (i == 0) begin
                  assert (base[3:0] == argument[Level+1][3:0]);
                  assert (more_q[b] == (counts[Level+1] && argument[Level+1][3:0] < 4'(b)));
                  if (counts[Level+1]) assert (base[Bits-1:4] == lead[Level+1][Bits-1:4]);
                  else assert (base[Bits-1:4] == argument[Level+1][Bits-1:4]);
                end else if (counts[Level+1]) begin
                  assert (base == lead[Level+1][Bits*i+:Bits]);
                end else assert (base == argument[Level+1][Bits*i+:Bits]);
              end
              if (i < 7 && there[Level+2] && served[Level+2]) begin
                assert (over_q[8*b+i]
                    == (counts[Level+2] && argument[Level+2][Bits*(i+1)-1:0] < Bits'(b)));
              end
            end
            for (genvar j = 0; j < 8; j++) begin : gen_place
              always_comb if (begun && !Cover && some_index == b) begin
                if (j <= i) begin
                  if (there[2+j] && served[2+j] && !counts[2+j]) begin
                    assert (own_q[1024*b+128*i+Bits*j+:Bits] == argument[2+j][Bits*i+:Bits]);
                  end
                end
                if (i + j < 8) begin
                  if (there[Level+2+j] && served[Level+2+j]) begin
                    assert (sum_q[1024*b+128*i+Bits*j+:Bits]
                        == argument[Level+2+j][Bits*i+:Bits]);
                  end
                end
              end
            end
          end
        end
      end
    end

    // Stored keys: each beat with a block finds the key of its slot in the core.
    if (Stored) begin : gen_keys
      // of the interlock:
      (* keep *) logic pending;
      (* keep *) logic [SlotBits-1:0] waiting_slot, loading_q;
      (* keep *) logic [KeyBits-1:0] waiting_key;
      (* keep *) logic [2**SlotBits-1:0] known_q;
      (* keep *) logic [$clog2(S+3)-1:0] drain_q;
      // of the core's model:
      (* keep *) logic busy_q, load_same_q, slot_same_q;
      (* keep *) logic [SlotBits-1:0] load_slot_q;
      (* keep *) logic [2**SlotBits-1:0] slot_valid_q;
      // A slot has its key in the core, and no other key replaces it for so many steps.
      function automatic logic keeps(input logic [SlotBits-1:0] slot, input int unsigned steps);
        keeps = slot_valid_q[slot] && !(pending && waiting_slot == slot && drain_q < steps);
      endfunction
      always_comb if (begun && !Cover) begin
        assert (known_q == k_known);
        // Where the last key of the slot that is followed is: it waits, is expanded, or is stored.
        if (k_known[some_slot]) begin
          if (pending && waiting_slot == some_slot) begin
            assert ((waiting_key == some_key) == k_same);
          end else if (busy_q && load_slot_q == some_slot) assert (load_same_q == k_same);
          else assert (slot_same_q == k_same);
        end
        if (busy_q) assert (loading_q == load_slot_q && !slot_valid_q[load_slot_q]);
        // Packets that are open, and beats on their way to the core.
        if ((within || head_q) && !bad) begin
          assert (known && keyed && keeps(SlotBits'(window), S + 2));
          if (uses) assert (window == some_window && slot_same_q);
        end
        if (beat_valid && beat_block) assert (keeps(beat_header[3+:SlotBits], S + 2));
      end
      for (genvar i = 0; i < S; i++) begin : gen_stage
        wire [SlotBits+1:0] pass = gen_counter.pass_q[(SlotBits+2)*i+:SlotBits+2];
        always_comb if (begun && !Cover && there[2+i] && !pass[0]) begin
          assert (keeps(pass[2+:SlotBits], S + 1 - i));
        end
      end
      for (genvar i = 0; i < KeySlots; i++) begin : gen_slot
        always_comb if (begun && !Cover && k_known[i]) begin
          assert (slot_valid_q[i] || (pending && waiting_slot == i)
              || (busy_q && load_slot_q == i));
        end
      end
      for (genvar i = KeySlots; i < 2 ** SlotBits; i++) begin : gen_no_slot
        always_comb if (begun && !Cover) assert (!k_known[i]);
      end
      for (genvar k = 0; k < Core; k++) begin : gen_stay
        always_comb if (begun && !Cover && passed[k] && !passed[k+1] && block) begin
          assert (slot_same_q);
        end
      end
    end

    // The core, and the words of the beat that is followed in the queues.
    for (genvar k = 0; k < L; k++) begin : gen_core
      always_comb if (begun && !Cover && passed[Core+k] && !passed[Core+k+1]) begin
        assert (block ? core_valid_q[k] && core_same_q[k] : skip_q[k]);
      end
    end
    always_comb if (begun && !Cover) begin
      if (passed[2] && !passed[First]) assert (is_side(side_word_q));
      if (passed[First] && !passed[First+1]) begin
        assert (is_side(side_first_q) && (!block || own(result_first_q) == some_result));
      end
      if (passed[First+1] && !passed[Out]) begin
        assert (is_side(side_second_q) && (!block || own(result_second_q) == some_result));
      end
      if (passed[Out] && !passed[Levels]) begin
        assert (is_word({out_data_q, out_keep_q, out_last_q, out_id_q, out_user_q, out_error_q}));
      end
      if (passed[Levels] && follows) assert (is_word(queue_word_q));
      if (marked && !follows) begin
        if (ahead < to_output) begin
          assert (is_word({m_axis_tdata, m_axis_tkeep, m_axis_tlast, m_axis_tid, m_axis_tuser}));
        end else if (ahead < to_spare) assert (is_word(spare_q));
        else if (ahead < to_second) assert (is_word(queue_second_q));
        else assert (is_word(queue_first_q));
      end
    end
  end
endmodule

`default_nettype wire
