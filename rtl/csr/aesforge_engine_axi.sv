// SPDX-License-Identifier: Apache-2.0
// An engine whose keys and contexts come through AXI4-Lite CSRs (docs/csr.md); packets
// run as in aesforge_engine, or with streams as in aesforge_engine_interleaved. A context reaches
// the engine 2 cycles after its write.
`default_nettype none

module aesforge_engine_axi #(
    // see aesforge_engine; of several streams, aesforge_engine_interleaved
    parameter int unsigned KeyBits = 128,
    parameter int unsigned Direction = aesforge_pkg::Encrypt,
    parameter int unsigned Unroll = 10,
    parameter int unsigned SboxStyle = aesforge_pkg::SboxTower,
    parameter int unsigned KeySboxStyle = aesforge_pkg::SboxTower,
    parameter int unsigned SboxStages = 1,
    parameter int unsigned LinearStages = 1,
    parameter int unsigned MixStyle = aesforge_pkg::MixXtime,
    parameter int unsigned KeySlots = 0,
    parameter int unsigned Tiles = 1,
    parameter int unsigned DelayStyle = aesforge_pkg::DelayRam,
    parameter int unsigned Modes = 2,
    // 0: packets follow each other
    parameter int unsigned Streams = 0,
    parameter int unsigned IdBits = 1,
    parameter int unsigned UserBits = 1,
    parameter int unsigned Depth = 64,
    parameter int unsigned ContextTimeout = 1024,
    localparam int unsigned Blocks = Unroll == KeyBits / 32 + 6 && Streams == 0 ? Tiles : 1,
    localparam int unsigned SlotBits = KeySlots > 1 ? $clog2(KeySlots) : 1,
    localparam int unsigned StreamBits = Streams > 1 ? $clog2(Streams) : 1,
    localparam int unsigned TidBits = Streams > 0 ? StreamBits : IdBits
) (
    input  logic                  clk,
    input  logic                  rst,
    // registers
    input  logic                  s_axil_awvalid,
    output logic                  s_axil_awready,
    input  logic [           6:0] s_axil_awaddr,
    input  logic [           2:0] s_axil_awprot,
    input  logic                  s_axil_wvalid,
    output logic                  s_axil_wready,
    input  logic [          31:0] s_axil_wdata,
    input  logic [           3:0] s_axil_wstrb,
    output logic                  s_axil_bvalid,
    input  logic                  s_axil_bready,
    output logic [           1:0] s_axil_bresp,
    input  logic                  s_axil_arvalid,
    output logic                  s_axil_arready,
    input  logic [           6:0] s_axil_araddr,
    input  logic [           2:0] s_axil_arprot,
    output logic                  s_axil_rvalid,
    input  logic                  s_axil_rready,
    output logic [          31:0] s_axil_rdata,
    output logic [           1:0] s_axil_rresp,
    // packets in
    input  logic                  s_axis_tvalid,
    output logic                  s_axis_tready,
    input  logic [128*Blocks-1:0] s_axis_tdata,
    input  logic [ 16*Blocks-1:0] s_axis_tkeep,
    input  logic                  s_axis_tlast,
    input  logic [   TidBits-1:0] s_axis_tid,
    input  logic [  UserBits-1:0] s_axis_tuser,
    // packets out; bit 0 of tuser is the error flag
    output logic                  m_axis_tvalid,
    input  logic                  m_axis_tready,
    output logic [128*Blocks-1:0] m_axis_tdata,
    output logic [ 16*Blocks-1:0] m_axis_tkeep,
    output logic                  m_axis_tlast,
    output logic [   TidBits-1:0] m_axis_tid,
    output logic [    UserBits:0] m_axis_tuser
);
  if (Blocks > 31) begin : gen_bad_blocks
    $error("the registers count up to 31 blocks per beat");
  end

  logic zeroize, push, push_q, load, load_q, beat;
  logic [255:0] key_word;
  logic [127:0] iv_word;
  logic [3:0] load_slot, push_mode, push_slot;
  logic push_decrypt;

  // What waits to be taken by the engine. It is a copy: the registers may be written meanwhile.
  logic ctx_valid_q, ctx_ready, ctx_decrypt_q, key_valid_q, key_ready;
  logic [KeyBits-1:0] ctx_key_q, key_q;
  logic [SlotBits-1:0] ctx_slot_q, key_slot_q;
  logic [127:0] ctx_iv_q;
  logic [2:0] ctx_mode_q;
  always_ff @(posedge clk) begin
    // The fields are new in the cycle after the write.
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

  // A beat counts as so many blocks as it has bytes of; without bytes, as one.
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

  // Keys may be shorter than the registers, slots fewer, modes fewer than four bits can say.
  logic unused_ok;
  assign unused_ok = &{1'b0, key_word, push_slot, load_slot, push_mode};
endmodule

`default_nettype wire
