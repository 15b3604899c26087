// SPDX-License-Identifier: Apache-2.0
// An engine of CCM whose keys, contexts and results come through AXI4-Lite CSRs (docs/csr.md);
// packets run as in aesforge_engine_ccm. A packet waits for its context without a limit.
`default_nettype none

module aesforge_engine_ccm_axi #(
    // [128, 192, 256] this and all but the last: see aesforge_engine_ccm
    parameter int unsigned KeyBits = 128,
    parameter int unsigned Unroll = 10,  // [a divisor of Nr] rounds in hardware
    parameter int unsigned SboxStyle = aesforge_pkg::SboxTower,  // [a style] S-boxes of the rounds
    // [a style] S-boxes of the key schedule
    parameter int unsigned KeySboxStyle = aesforge_pkg::SboxTower,
    parameter int unsigned SboxStages = 1,  // [0 or more] pipeline stages in SubBytes
    parameter int unsigned LinearStages = 1,  // [0 to 4] pipeline stages in the rest of a round
    parameter int unsigned MixStyle = aesforge_pkg::MixXtime,  // [0, 1, 2] see aesforge_mix_column
    // [0, 2 to 16] 0: a key with each context; else the number of key slots
    parameter int unsigned KeySlots = 0,
    parameter int unsigned Tiles = 1,  // [1 or more] rings that take turns; 1 where `Unroll` is Nr
    parameter int unsigned DelayStyle = aesforge_pkg::DelayRam,  // [0, 1] see aesforge_delay
    // [1 to 256] streams that may have a packet open: `tid` 0 to `Streams` - 1
    parameter int unsigned Streams = 26,
    // [1 or more] bits of `tuser` without the error flag; bit 0 marks associated data
    parameter int unsigned UserBits = 1,
    // [a power of two from 4 on] places of the queue; full rate needs L + 10, rounded up
    parameter int unsigned Depth = 64,
    // [0, or a power of two from 8 on] 0: text leaves before its tag is known; else places of each
    // stream for beats that wait for it: packets of up to 4 less pass
    parameter int unsigned HoldBeats = 0,
    // [a power of two from 4 on] contexts that may be inside or have a result that waits
    parameter int unsigned Results = 16,
    localparam int unsigned SlotBits = KeySlots > 1 ? $clog2(KeySlots) : 1,
    localparam int unsigned StreamBits = Streams > 1 ? $clog2(Streams) : 1
) (
    input  logic                  clk,  // clock
    input  logic                  rst,  // synchronous reset
    input  logic                  s_axil_awvalid,  // write address is present
    output logic                  s_axil_awready,  // it is accepted
    input  logic [           7:0] s_axil_awaddr,  // byte address
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
    input  logic [           7:0] s_axil_araddr,  // byte address
    input  logic [           2:0] s_axil_arprot,  // ignored
    output logic                  s_axil_rvalid,  // read data are present
    input  logic                  s_axil_rready,  // they are accepted
    output logic [          31:0] s_axil_rdata,  // data
    output logic [           1:0] s_axil_rresp,  // always 0, okay
    input  logic                  s_axis_tvalid,  // a beat is present
    output logic                  s_axis_tready,  // it is accepted
    input  logic [         127:0] s_axis_tdata,  // bytes, byte 0 in bits 7 to 0
    // a bit for each byte: the first bytes in the last beat of a section, all in any other
    input  logic [          15:0] s_axis_tkeep,
    // the packet ends with this beat: its tag, or a place for it when encrypting or if the
    // context has the expected tag
    input  logic                  s_axis_tlast,
    input  logic [StreamBits-1:0] s_axis_tid,  // its stream
    // bit 0: additional authenticated data; returned with the beat, one bit higher
    input  logic [  UserBits-1:0] s_axis_tuser,
    output logic                  m_axis_tvalid,  // a beat is at the output
    input  logic                  m_axis_tready,  // it is accepted
    // bytes, byte 0 in bits 7 to 0; those not kept are 0, and so is a tag that was compared
    output logic [         127:0] m_axis_tdata,
    output logic [          15:0] m_axis_tkeep,  // `tkeep` of the input beat
    output logic                  m_axis_tlast,  // `tlast` of the input beat
    output logic [StreamBits-1:0] m_axis_tid,  // its stream
    // bit 0: error, or in the last beat a wrong tag; above it `s_axis_tuser`
    output logic [    UserBits:0] m_axis_tuser
);
  // A packet waits at the registers until the engine has its context.
  localparam int unsigned ContextTimeout = 0;
  // What the registers put beside `tuser`, for the way through the engine.
  localparam int unsigned InnerBits = $clog2(Results) + 1 + UserBits;
  logic zeroize, key_valid, key_ready, ctx_valid, ctx_ready, ctx_decrypt;
  logic [SlotBits-1:0] key_slot, ctx_slot;
  logic [KeyBits-1:0] key, ctx_key;
  localparam int unsigned Slots = KeySlots > 1 ? KeySlots : 1;
  logic [32*Slots-1:0] iv_fixed;
  logic [127:0] ctx_iv;
  logic [1:0] ctx_iv_kind;
  logic [3:0] ctx_iv_bytes;
  logic [4:0] ctx_tag_bytes;
  logic [31:0] ctx_aad_bytes, ctx_text_bytes;
  logic [15:0] ctx_more;
  logic in_valid, in_ready, in_last, out_valid, out_ready, out_last;
  logic [127:0] in_data, out_data;
  logic [15:0] in_keep, out_keep;
  logic [StreamBits-1:0] in_id, out_id;
  logic [InnerBits-1:0] in_user;
  logic [InnerBits:0] out_user;
  logic unused_iv_ready;
  aesforge_packet_registers #(
      .KeyBits (KeyBits),
      .KeySlots(KeySlots),
      .Streams (Streams),
      .IdBits  (StreamBits),
      .UserBits(UserBits),
      .Results (Results)
  ) u_registers (
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
      .zeroize,
      .key_valid,
      .key_ready,
      .key_slot,
      .key,
      .iv_fixed,
      .ctx_valid,
      .ctx_ready,
      .ctx_key,
      .ctx_slot,
      .ctx_iv,
      .ctx_iv_kind,
      .ctx_iv_bytes,
      .ctx_decrypt,
      .ctx_tag_bytes,
      .ctx_aad_bytes,
      .ctx_text_bytes,
      .ctx_more,
      .s_axis_tvalid,
      .s_axis_tready,
      .s_axis_tdata,
      .s_axis_tkeep,
      .s_axis_tlast,
      .s_axis_tid,
      .s_axis_tuser,
      .in_valid,
      .in_ready,
      .in_data,
      .in_keep,
      .in_last,
      .in_id,
      .in_user,
      .out_valid,
      .out_ready,
      .out_data,
      .out_keep,
      .out_last,
      .out_id,
      .out_user,
      .m_axis_tvalid,
      .m_axis_tready,
      .m_axis_tdata,
      .m_axis_tkeep,
      .m_axis_tlast,
      .m_axis_tid,
      .m_axis_tuser,
      .iv_valid(1'b0),
      .iv_ready(unused_iv_ready),
      .iv_data('0),
      .iv_none(1'b0)
  );

  aesforge_engine_ccm #(
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
      .Streams(Streams),
      .UserBits(InnerBits),
      .Depth(Depth),
      .ContextTimeout(ContextTimeout),
      .HoldBeats(HoldBeats)
  ) u_engine (
      .clk,
      .rst,
      .zeroize,
      .s_key_tvalid(key_valid),
      .s_key_tready(key_ready),
      .s_key_slot(key_slot),
      .s_key_tdata(key),
      .s_ctx_tvalid(ctx_valid),
      .s_ctx_tready(ctx_ready),
      .s_ctx_key(ctx_key),
      .s_ctx_slot(ctx_slot),
      .s_ctx_iv(ctx_iv),
      .s_ctx_iv_bytes(ctx_iv_bytes),
      .s_ctx_decrypt(ctx_decrypt),
      .s_ctx_tag_bytes(ctx_tag_bytes),
      .s_ctx_aad_bytes(ctx_aad_bytes),
      .s_ctx_text_bytes(ctx_text_bytes),
      .s_axis_tvalid(in_valid),
      .s_axis_tready(in_ready),
      .s_axis_tdata(in_data),
      .s_axis_tkeep(in_keep),
      .s_axis_tlast(in_last),
      .s_axis_tid(in_id),
      .s_axis_tuser(in_user),
      .m_axis_tvalid(out_valid),
      .m_axis_tready(out_ready),
      .m_axis_tdata(out_data),
      .m_axis_tkeep(out_keep),
      .m_axis_tlast(out_last),
      .m_axis_tid(out_id),
      .m_axis_tuser(out_user)
  );

  // Fields that no context of this mode has.
  logic unused_ok;
  assign unused_ok = &{1'b0, ctx_iv_kind, ctx_more, iv_fixed, unused_iv_ready};
endmodule

`default_nettype wire
