// SPDX-License-Identifier: Apache-2.0
// The AXI4-Lite CSRs of an engine of GCM, OCB, CCM or XTS (docs/csr.md), between its streams and
// those of the user: gives each packet its context, and keeps the result of each context until it
// is popped. A context reaches the engine 2 cycles after its write; beats pass in the same cycle.
`default_nettype none

module aesforge_packet_registers #(
    // [128 to 512, whole words] bits of a key as it is loaded; XTS: of both
    parameter int unsigned KeyBits = 128,
    // [0, 2 to 16] 0: a key with each context; else the number of key slots
    parameter int unsigned KeySlots = 2,
    // [0, 1] 1: packets end with a tag; 0: they are data units
    parameter bit Tags = 1'b1,
    parameter bit Counted = 1'b0,  // [0, 1] 1: the engine makes the IVs of packets that encrypt
    // [0 to 256] 0: one packet at a time; else streams that may have a packet open
    parameter int unsigned Streams = 0,
    // [1 or more] bits of `tid`; with streams those of their number
    parameter int unsigned IdBits = 1,
    parameter int unsigned UserBits = 1,  // [1 or more] bits of `tuser` without the error flag
    // [a power of two from 4 on] contexts that may be inside or have a result that waits
    parameter int unsigned Results = 16,
    localparam int unsigned SlotBits = KeySlots > 1 ? $clog2(KeySlots) : 1,
    localparam int unsigned Slots = KeySlots > 1 ? KeySlots : 1,
    localparam int unsigned IndexBits = $clog2(Results),
    localparam int unsigned InnerBits = IndexBits + 1 + UserBits
) (
    input  logic                 clk,  // clock
    input  logic                 rst,  // synchronous reset
    input  logic                 s_axil_awvalid,  // write address is present
    output logic                 s_axil_awready,  // it is accepted
    input  logic [          7:0] s_axil_awaddr,  // byte address
    input  logic [          2:0] s_axil_awprot,  // ignored
    input  logic                 s_axil_wvalid,  // write data are present
    output logic                 s_axil_wready,  // they are accepted, together with the address
    input  logic [         31:0] s_axil_wdata,  // data
    input  logic [          3:0] s_axil_wstrb,  // bytes to write
    output logic                 s_axil_bvalid,  // write response is present
    input  logic                 s_axil_bready,  // it is accepted
    output logic [          1:0] s_axil_bresp,  // always 0, okay
    input  logic                 s_axil_arvalid,  // read address is present
    output logic                 s_axil_arready,  // it is accepted
    input  logic [          7:0] s_axil_araddr,  // byte address
    input  logic [          2:0] s_axil_arprot,  // ignored
    output logic                 s_axil_rvalid,  // read data are present
    input  logic                 s_axil_rready,  // they are accepted
    output logic [         31:0] s_axil_rdata,  // data
    output logic [          1:0] s_axil_rresp,  // always 0, okay
    output logic                 zeroize,  // to the engine
    output logic                 key_valid,  // a key for the engine is present
    input  logic                 key_ready,  // it is accepted
    output logic [ SlotBits-1:0] key_slot,  // its slot
    output logic [  KeyBits-1:0] key,  // key, byte 0 in bits 7 to 0
    output logic [ 32*Slots-1:0] iv_fixed,  // fixed field of each slot, slot 0 lowest
    output logic                 ctx_valid,  // a context for the engine is present
    input  logic                 ctx_ready,  // it is accepted
    output logic [  KeyBits-1:0] ctx_key,  // its key (without slots)
    output logic [ SlotBits-1:0] ctx_slot,  // slot of its key
    output logic [        127:0] ctx_iv,  // IV, nonce or number of the data unit
    output logic [          1:0] ctx_iv_kind,  // kind of IV
    output logic [          3:0] ctx_iv_bytes,  // bytes of the nonce
    output logic                 ctx_decrypt,  // 1: decrypt
    output logic [          4:0] ctx_tag_bytes,  // bytes of the tag
    output logic [         31:0] ctx_aad_bytes,  // bytes of the associated data
    output logic [         31:0] ctx_text_bytes,  // bytes of the text
    output logic [         15:0] ctx_more,  // data units that follow under it
    input  logic                 s_axis_tvalid,  // a beat of the user is present
    output logic                 s_axis_tready,  // it is accepted
    input  logic [        127:0] s_axis_tdata,  // its bytes, byte 0 in bits 7 to 0
    input  logic [         15:0] s_axis_tkeep,  // a bit for each byte
    input  logic                 s_axis_tlast,  // the packet ends with it
    input  logic [   IdBits-1:0] s_axis_tid,  // its stream, or any value
    input  logic [ UserBits-1:0] s_axis_tuser,  // any value
    output logic                 in_valid,  // a beat for the engine is present
    input  logic                 in_ready,  // it is accepted
    output logic [        127:0] in_data,  // its bytes, or in a last beat the expected tag
    output logic [         15:0] in_keep,  // a bit for each byte
    output logic                 in_last,  // the packet ends with it
    output logic [   IdBits-1:0] in_id,  // `tid`
    // place of its result, whether its packet is the last one under its context; then `tuser`
    output logic [InnerBits-1:0] in_user,
    input  logic                 out_valid,  // a beat of the engine is present
    output logic                 out_ready,  // it is accepted
    input  logic [        127:0] out_data,  // its bytes
    input  logic [         15:0] out_keep,  // a bit for each byte
    input  logic                 out_last,  // the packet ends with it
    input  logic [   IdBits-1:0] out_id,  // `tid`
    input  logic [  InnerBits:0] out_user,  // `in_user` of the beat in; bit 0: error
    output logic                 m_axis_tvalid,  // a beat for the user is present
    input  logic                 m_axis_tready,  // it is accepted
    output logic [        127:0] m_axis_tdata,  // its bytes
    output logic [         15:0] m_axis_tkeep,  // a bit for each byte
    output logic                 m_axis_tlast,  // the packet ends with it
    output logic [   IdBits-1:0] m_axis_tid,  // `tid` of the beat in
    output logic [   UserBits:0] m_axis_tuser,  // bit 0: error; above it `s_axis_tuser`
    input  logic                 iv_valid,  // an IV that the engine made is present
    output logic                 iv_ready,  // it is accepted
    input  logic [         95:0] iv_data,  // IV, byte 0 in bits 7 to 0
    input  logic                 iv_none  // there is no IV
);
  if (Results < 4 || (Results & (Results - 1)) != 0) begin : gen_bad_results
    $error("the results have a power of two places, 4 or more");
  end

  logic push, push_q, load, load_q, pop, beat, context_waits, key_waits, results_full;
  logic packet_waits, result_waits;
  logic [511:0] key_word;
  logic [127:0] iv_word, tag_word;
  logic [31:0] aad_bytes, text_bytes, fixed_word;
  logic [15:0] more_units;
  logic [3:0] load_slot, push_slot, push_iv_bytes;
  logic [1:0] push_iv_kind;
  logic [4:0] push_tag_bytes;
  logic push_decrypt, push_tag_given;

  // After `zeroize` the tables are overwritten, place by place; nothing goes in or comes out.
  logic sweeping_q;
  logic [IndexBits-1:0] sweep_q;
  always_ff @(posedge clk) begin
    sweep_q <= sweep_q + 1'b1;
    if (sweep_q == '1) sweeping_q <= 1'b0;
    if (zeroize) {sweeping_q, sweep_q} <= {1'b1, IndexBits'(0)};
    if (rst) sweeping_q <= 1'b0;
  end

  // --- Keys and contexts: copies that wait for the engine, so that software may write the CSRs.
  logic ctx_valid_q, key_valid_q, accept, take_key;
  logic [KeyBits-1:0] ctx_key_q, key_q;
  logic [SlotBits-1:0] ctx_slot_q, key_slot_q;
  logic [127:0] ctx_iv_q, ctx_tag_q;
  logic [31:0] ctx_aad_q, ctx_text_q, key_fixed_q;
  logic [15:0] ctx_more_q;
  logic [3:0] ctx_iv_bytes_q;
  logic [1:0] ctx_iv_kind_q;
  logic [4:0] ctx_tag_bytes_q;
  logic ctx_decrypt_q, ctx_tag_given_q;
  assign accept = ctx_valid && ctx_ready;
  assign take_key = key_valid && key_ready;
  always_ff @(posedge clk) begin
    // The fields change in the cycle after the write.
    push_q <= push;
    load_q <= load;
    if (accept) ctx_valid_q <= 1'b0;
    if (push_q && (!ctx_valid_q || accept)) begin
      ctx_valid_q <= 1'b1;
      ctx_key_q <= key_word[KeyBits-1:0];
      ctx_slot_q <= push_slot[SlotBits-1:0];
      ctx_iv_q <= iv_word;
      ctx_tag_q <= tag_word;
      ctx_aad_q <= aad_bytes;
      ctx_text_q <= text_bytes;
      ctx_more_q <= more_units;
      ctx_iv_bytes_q <= push_iv_bytes;
      ctx_iv_kind_q <= push_iv_kind;
      ctx_tag_bytes_q <= push_tag_bytes;
      ctx_decrypt_q <= push_decrypt;
      ctx_tag_given_q <= push_tag_given;
    end
    if (take_key) key_valid_q <= 1'b0;
    if (load_q && (!key_valid_q || take_key)) begin
      key_valid_q <= 1'b1;
      key_q <= key_word[KeyBits-1:0];
      key_slot_q <= load_slot[SlotBits-1:0];
      key_fixed_q <= fixed_word;
    end
    if (zeroize) begin
      {ctx_key_q, ctx_iv_q, ctx_tag_q} <= '0;
      {ctx_aad_q, ctx_text_q, ctx_more_q} <= '0;
      {key_q, key_fixed_q} <= '0;
    end
    if (rst || zeroize) {push_q, load_q, ctx_valid_q, key_valid_q} <= '0;
  end
  assign key_valid = key_valid_q && !sweeping_q;
  assign {key_slot, key} = {key_slot_q, key_q};
  assign {ctx_key, ctx_slot, ctx_iv} = {ctx_key_q, ctx_slot_q, ctx_iv_q};
  assign {ctx_iv_kind, ctx_iv_bytes, ctx_decrypt} = {ctx_iv_kind_q, ctx_iv_bytes_q, ctx_decrypt_q};
  assign {ctx_tag_bytes, ctx_more} = {ctx_tag_bytes_q, ctx_more_q};
  assign {ctx_aad_bytes, ctx_text_bytes} = {ctx_aad_q, ctx_text_q};
  assign context_waits = push_q || ctx_valid_q;
  assign key_waits = load_q || key_valid_q;

  // The fixed field comes with the key: both are of the slot from then on.
  for (genvar i = 0; i < Slots; i++) begin : gen_fixed
    logic [31:0] fixed_q;
    always_ff @(posedge clk) begin
      if (take_key && 32'(key_slot_q) == i) fixed_q <= key_fixed_q;
      if (rst || zeroize) fixed_q <= '0;
    end
    assign iv_fixed[32*i+:32] = Counted ? fixed_q : '0;
  end

  // --- Places. A context takes one when the engine accepts it, and keeps it until its result is
  // popped; so a result always has its place, and no packet waits for one to be read. How many have
  // been given, have begun a packet, have their result, and are popped:
  logic [IndexBits:0] given_q, begun_q, ended_q, popped_q, used;
  logic [IndexBits-1:0] given, next_place, head, out_place;
  logic begins, done, popped;
  assign used = given_q - popped_q;
  assign results_full = used[IndexBits];
  assign result_waits = ended_q != popped_q;
  assign popped = pop && result_waits;
  assign ctx_valid = ctx_valid_q && !results_full && !sweeping_q;
  always_ff @(posedge clk) begin
    if (accept) given_q <= given_q + 1'b1;
    if (begins) begun_q <= begun_q + 1'b1;
    if (done) ended_q <= ended_q + 1'b1;
    if (popped) popped_q <= popped_q + 1'b1;
    if (rst || zeroize) {given_q, begun_q, ended_q, popped_q} <= '0;
  end
  if (Streams == 0) begin : gen_ring
    // Packets end in the order of their contexts: the places are taken in turn.
    assign given = given_q[IndexBits-1:0];
    assign next_place = begun_q[IndexBits-1:0];
    assign head = popped_q[IndexBits-1:0];
  end else begin : gen_free
    // A packet that stays open must not hold back the results of others, and with them the contexts
    // for which the packets in front of its beats wait: results come in the order in which packets
    // end, and any place may be free.
    logic [Results-1:0] taken_q;
    logic [IndexBits-1:0] order[0:Results-1];
    logic [IndexBits-1:0] ended[0:Results-1];
    always_comb begin
      given = '0;
      for (int i = Results - 1; i >= 0; i--) if (!taken_q[i]) given = IndexBits'(i);
    end
    assign next_place = order[begun_q[IndexBits-1:0]];
    assign head = ended[popped_q[IndexBits-1:0]];
    always_ff @(posedge clk) begin
      if (accept) order[given_q[IndexBits-1:0]] <= given;
      if (done) ended[ended_q[IndexBits-1:0]] <= out_place;
      if (popped) taken_q[head] <= 1'b0;
      if (accept) taken_q[given] <= 1'b1;
      if (rst || zeroize) taken_q <= '0;
    end
  end

  // --- Beats in. A packet waits until the engine has its context, and takes its place with it: the
  // number of the place goes through the engine, and tells at the output whose packet it was.
  logic has_context, open, counts, final_unit, passes, take;
  logic [IndexBits-1:0] place;
  logic ends;
  if (Streams == 0) begin : gen_place
    assign {place, open, counts} = {next_place, 1'b0, 1'b1};
    // The place is that of the packet until its last beat is in.
    assign begins = take && s_axis_tlast && final_unit;
  end else begin : gen_place
    // Contexts belong to packets in the order of their first beats. A stream that does not exist
    // takes none.
    logic [2**IdBits-1:0] open_q;
    logic [IndexBits-1:0] places[0:2**IdBits-1];
    localparam logic [IdBits:0] Count = (IdBits + 1)'(Streams);
    assign counts = {1'b0, s_axis_tid} < Count;
    assign open = open_q[s_axis_tid];
    assign place = open ? places[s_axis_tid] : next_place;
    assign begins = take && counts && !open;
    always_ff @(posedge clk) begin
      if (begins) places[s_axis_tid] <= place;
      if (take && counts) open_q[s_axis_tid] <= !s_axis_tlast;
      if (rst || zeroize) open_q <= '0;
    end
  end
  assign has_context = begun_q != given_q || open || !counts;
  assign passes = has_context && !sweeping_q && !zeroize;
  assign take = in_valid && in_ready;
  assign ends = take && s_axis_tlast;
  assign packet_waits = s_axis_tvalid && !has_context;

  logic tag_given, replaces;
  logic [4:0] tag_bytes;
  logic [127:0] expected;
  if (Tags) begin : gen_expected
    // The expected tags: nobody reads them but the engine.
    logic [133:0] memory[0:Results-1];
    logic [133:0] word;
    logic [IndexBits-1:0] at;
    assign at = sweeping_q ? sweep_q : given;
    assign word = sweeping_q ? '0 : {ctx_tag_given_q, ctx_tag_bytes_q, ctx_tag_q};
    always_ff @(posedge clk) if (sweeping_q || accept) memory[at] <= word;
    assign {tag_given, tag_bytes, expected} = memory[place];
    assign final_unit = 1'b1;
  end else begin : gen_units
    // A context may be for several data units.
    logic [15:0] memory[0:Results-1];
    logic [15:0] unit_q;
    always_ff @(posedge clk) begin
      if (accept) memory[given] <= ctx_more_q;
      if (ends) unit_q <= final_unit ? '0 : unit_q + 1'b1;
      if (rst || zeroize) unit_q <= '0;
    end
    assign {tag_given, tag_bytes, expected} = '0;
    logic unused_tag;
    assign unused_tag = &{1'b0, ctx_tag_q, ctx_tag_given_q};
    assign final_unit = unit_q == memory[place];
  end

  // The last beat is then a place for the tag; not that of a stream that does not exist.
  assign replaces = s_axis_tlast && tag_given && counts;
  logic [15:0] tag_keep;
  always_comb for (int i = 0; i < 16; i++) tag_keep[i] = 6'(i) < {1'b0, tag_bytes};
  assign in_valid = s_axis_tvalid && passes;
  assign s_axis_tready = in_ready && passes;
  assign in_data = replaces ? expected : s_axis_tdata;
  assign in_keep = replaces ? tag_keep : s_axis_tkeep;
  assign in_last = s_axis_tlast;
  assign in_id = s_axis_tid;
  // The mark of associated data stays at the bottom.
  assign in_user = {place, counts && final_unit, s_axis_tuser};

  // --- Beats out, and results.
  logic out_final, out_error, any_error_q;
  assign {out_place, out_final} = out_user[InnerBits:UserBits+1];
  assign out_error = out_user[0];
  assign m_axis_tvalid = out_valid;
  assign out_ready = m_axis_tready;
  assign {m_axis_tdata, m_axis_tkeep, m_axis_tlast} = {out_data, out_keep, out_last};
  assign {m_axis_tid, m_axis_tuser} = {out_id, out_user[UserBits:0]};
  assign beat = out_valid && out_ready;
  assign done = beat && out_last && out_final && !zeroize && !sweeping_q;

  localparam int unsigned TagBits = Tags ? 128 : 1;
  localparam int unsigned ResultBits = 1 + 8 + TagBits;
  logic [ResultBits-1:0] results[0:Results-1];
  logic [ResultBits-1:0] result_word;
  logic [Results-1:0] verifies_q, makes_q;
  logic [IndexBits-1:0] result_at;
  logic result_error, result_none, made;
  logic [7:0] result_id;
  logic [TagBits-1:0] result_tag;
  logic [127:0] made_tag;
  logic [95:0] result_iv;
  assign result_at = sweeping_q ? sweep_q : out_place;
  assign result_word = {out_error || any_error_q, 8'(out_id), TagBits'(Tags ? out_data : '0)};
  assign {result_error, result_id, result_tag} = results[head];
  assign made_tag = Tags ? 128'(result_tag) : '0;
  assign made = result_waits && Counted && makes_q[head] && !result_none;
  always_ff @(posedge clk) begin
    if (sweeping_q || done) results[result_at] <= sweeping_q ? '0 : result_word;
    if (accept) begin
      // A packet that brings an IV is not verified.
      verifies_q[given] <= Tags && ctx_decrypt_q && ctx_iv_kind_q != 2'd1;
      makes_q[given] <= !ctx_decrypt_q;
    end
    // Of several data units under one context.
    if (beat && out_last) any_error_q <= !Tags && !out_final && (any_error_q || out_error);
    if (rst || zeroize || sweeping_q) any_error_q <= 1'b0;
  end

  // An IV leaves the engine before it accepts the next context.
  if (Counted) begin : gen_ivs
    logic [96:0] memory[0:Results-1];
    logic [IndexBits-1:0] latest, at;
    assign latest = given_q[IndexBits-1:0] - 1'b1;
    assign at = sweeping_q ? sweep_q : latest;
    always_ff @(posedge clk) begin
      if (sweeping_q || iv_valid) memory[at] <= sweeping_q ? '0 : {iv_none, iv_data};
    end
    assign {result_none, result_iv} = memory[head];
  end else begin : gen_given_ivs
    logic unused_iv;
    assign unused_iv = &{1'b0, iv_valid, iv_data, iv_none};
    assign {result_none, result_iv} = '0;
  end
  assign iv_ready = 1'b1;

  aesforge_packet_csr u_csr (
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
      .status_context_waits(context_waits),
      .status_key_waits(key_waits),
      .status_result_waits(result_waits),
      .status_results_full(results_full),
      .status_packet_waits(packet_waits),
      .errors_packet_hwset(beat && out_error),
      .errors_packet_hwclr(zeroize),
      .errors_context_dropped_hwset(push_q && ctx_valid_q && !accept),
      .errors_context_dropped_hwclr(zeroize),
      .errors_key_dropped_hwset(load_q && key_valid_q && !take_key),
      .errors_key_dropped_hwclr(zeroize),
      .packets_count_incr(beat && out_last),
      .packets_count_hwclr(zeroize),
      .packets_in_error_count_incr(beat && out_last && out_error),
      .packets_in_error_count_hwclr(zeroize),
      .beats_count_incr(beat),
      .beats_count_hwclr(zeroize),
      .key_word_hwclr(zeroize),
      .key_word,
      .iv_word_hwclr(zeroize),
      .iv_word,
      .tag_word_hwclr(zeroize),
      .tag_word,
      .aad_bytes_hwclr(zeroize),
      .aad_bytes,
      .text_bytes_hwclr(zeroize),
      .text_bytes,
      .more_units_hwclr(zeroize),
      .more_units,
      .iv_fixed_word_hwclr(zeroize),
      .iv_fixed_word(fixed_word),
      .load_slot,
      .load_slot_swmod(load),
      .push_iv_kind,
      .push_iv_kind_swmod(push),
      .push_decrypt,
      .push_tag_given,
      .push_slot,
      .push_iv_bytes,
      .push_tag_bytes,
      .result_error(result_waits && result_error),
      .result_authentic(result_waits && verifies_q[head] && !result_error),
      .result_iv_made(made),
      .result_id(result_waits ? result_id : 8'd0),
      .pop_next(pop),
      .result_tag_word(result_waits ? made_tag : '0),
      .result_iv_word(made ? result_iv : '0)
  );

  // Bits of the CSRs beyond the key size or the slot number, and places that no packet has.
  logic unused_ok;
  assign unused_ok = &{1'b0, key_word, push_slot, load_slot, ends};
endmodule

`default_nettype wire
