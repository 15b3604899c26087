// SPDX-License-Identifier: Apache-2.0
// The registers of aesforge_engine_axi on AXI4-Lite. scripts/make_csr.py writes this file
// from aesforge_engine.rdl. A write and a read every two cycles.
`default_nettype none

module aesforge_csr (
    // clock, synchronous reset
    input  logic         clk,
    input  logic         rst,
    // AXI4-Lite
    input  logic         s_axil_awvalid,
    output logic         s_axil_awready,
    input  logic   [6:0] s_axil_awaddr,
    input  logic   [2:0] s_axil_awprot,
    input  logic         s_axil_wvalid,
    output logic         s_axil_wready,
    input  logic  [31:0] s_axil_wdata,
    input  logic   [3:0] s_axil_wstrb,
    output logic         s_axil_bvalid,
    input  logic         s_axil_bready,
    output logic   [1:0] s_axil_bresp,
    input  logic         s_axil_arvalid,
    output logic         s_axil_arready,
    input  logic   [6:0] s_axil_araddr,
    input  logic   [2:0] s_axil_arprot,
    output logic         s_axil_rvalid,
    input  logic         s_axil_rready,
    output logic  [31:0] s_axil_rdata,
    output logic   [1:0] s_axil_rresp,
    // control
    output logic         control_zeroize,
    // status
    input  logic         status_context_waits,
    input  logic         status_key_waits,
    // errors
    input  logic         errors_packet_hwset,
    input  logic         errors_packet_hwclr,
    input  logic         errors_context_dropped_hwset,
    input  logic         errors_context_dropped_hwclr,
    input  logic         errors_key_dropped_hwset,
    input  logic         errors_key_dropped_hwclr,
    // packets
    input  logic         packets_count_incr,
    input  logic         packets_count_hwclr,
    // packets_in_error
    input  logic         packets_in_error_count_incr,
    input  logic         packets_in_error_count_hwclr,
    // blocks
    input  logic         blocks_count_incr,
    input  logic   [4:0] blocks_count_incrvalue,
    input  logic         blocks_count_hwclr,
    // key
    input  logic         key_word_hwclr,
    output logic [255:0] key_word,
    // iv
    input  logic         iv_word_hwclr,
    output logic [127:0] iv_word,
    // load
    output logic   [3:0] load_slot,
    output logic         load_slot_swmod,
    // push
    output logic   [3:0] push_mode,
    output logic         push_mode_swmod,
    output logic         push_decrypt,
    output logic   [3:0] push_slot
);
  logic errors_packet;
  logic errors_context_dropped;
  logic errors_key_dropped;
  logic [31:0] packets_count;
  logic [31:0] packets_in_error_count;
  logic [31:0] blocks_count;

  // Writes: address and data are taken together, when no answer waits.
  logic write;
  logic [31:0] mask;
  assign write = s_axil_awvalid && s_axil_wvalid && !s_axil_bvalid;
  assign s_axil_awready = write;
  assign s_axil_wready = write;
  assign s_axil_bresp = 2'b00;
  always_comb for (int i = 0; i < 4; i++) mask[8*i+:8] = {8{s_axil_wstrb[i]}};
  always_ff @(posedge clk) begin
    s_axil_bvalid <= write || (s_axil_bvalid && !s_axil_bready);
    if (rst) s_axil_bvalid <= 1'b0;
  end

  // Reads: what only takes writes reads as 0.
  logic [31:0] value;
  assign s_axil_arready = !s_axil_rvalid;
  assign s_axil_rresp = 2'b00;
  always_comb begin
    value = '0;
    case (s_axil_araddr[6:2])
      5'd0: value = 32'h41455346;
      5'd2: begin
        value[0] = status_context_waits;
        value[1] = status_key_waits;
      end
      5'd3: begin
        value[0] = errors_packet;
        value[1] = errors_context_dropped;
        value[2] = errors_key_dropped;
      end
      5'd4: value = packets_count;
      5'd5: value = packets_in_error_count;
      5'd6: value = blocks_count;
      default: value = '0;
    endcase
  end
  always_ff @(posedge clk) begin
    if (s_axil_arready) s_axil_rdata <= value;
    s_axil_rvalid <= s_axil_arready ? s_axil_arvalid : !s_axil_rready;
    if (rst) s_axil_rvalid <= 1'b0;
  end

  // Fields. What happens in the engine wins over a write in the same cycle.
  assign load_slot_swmod = write && s_axil_awaddr[6:2] == 5'd20 && mask[3:0] != '0;
  assign push_mode_swmod = write && s_axil_awaddr[6:2] == 5'd21 && mask[3:0] != '0;
  always_ff @(posedge clk) begin
    control_zeroize <= write && s_axil_awaddr[6:2] == 5'd1 && s_axil_wdata[0] && mask[0];
    if (rst) control_zeroize <= '0;
    if (write && s_axil_awaddr[6:2] == 5'd3) begin
      errors_packet <= errors_packet & ~(s_axil_wdata[0] & mask[0]);
    end
    if (errors_packet_hwset) errors_packet <= '1;
    if (rst || errors_packet_hwclr) errors_packet <= '0;
    if (write && s_axil_awaddr[6:2] == 5'd3) begin
      errors_context_dropped <= errors_context_dropped & ~(s_axil_wdata[1] & mask[1]);
    end
    if (errors_context_dropped_hwset) errors_context_dropped <= '1;
    if (rst || errors_context_dropped_hwclr) errors_context_dropped <= '0;
    if (write && s_axil_awaddr[6:2] == 5'd3) begin
      errors_key_dropped <= errors_key_dropped & ~(s_axil_wdata[2] & mask[2]);
    end
    if (errors_key_dropped_hwset) errors_key_dropped <= '1;
    if (rst || errors_key_dropped_hwclr) errors_key_dropped <= '0;
    packets_count <= (packets_count_hwclr ? '0 : packets_count)
        + 32'(packets_count_incr);
    if (rst) packets_count <= '0;
    packets_in_error_count <= (packets_in_error_count_hwclr ? '0 : packets_in_error_count)
        + 32'(packets_in_error_count_incr);
    if (rst) packets_in_error_count <= '0;
    blocks_count <= (blocks_count_hwclr ? '0 : blocks_count)
        + (blocks_count_incr ? 32'(blocks_count_incrvalue) : '0);
    if (rst) blocks_count <= '0;
    if (write && s_axil_awaddr[6:2] == 5'd8) begin
      key_word[0+:32] <= (key_word[0+:32] & ~mask) | (s_axil_wdata & mask);
    end
    if (write && s_axil_awaddr[6:2] == 5'd9) begin
      key_word[32+:32] <= (key_word[32+:32] & ~mask) | (s_axil_wdata & mask);
    end
    if (write && s_axil_awaddr[6:2] == 5'd10) begin
      key_word[64+:32] <= (key_word[64+:32] & ~mask) | (s_axil_wdata & mask);
    end
    if (write && s_axil_awaddr[6:2] == 5'd11) begin
      key_word[96+:32] <= (key_word[96+:32] & ~mask) | (s_axil_wdata & mask);
    end
    if (write && s_axil_awaddr[6:2] == 5'd12) begin
      key_word[128+:32] <= (key_word[128+:32] & ~mask) | (s_axil_wdata & mask);
    end
    if (write && s_axil_awaddr[6:2] == 5'd13) begin
      key_word[160+:32] <= (key_word[160+:32] & ~mask) | (s_axil_wdata & mask);
    end
    if (write && s_axil_awaddr[6:2] == 5'd14) begin
      key_word[192+:32] <= (key_word[192+:32] & ~mask) | (s_axil_wdata & mask);
    end
    if (write && s_axil_awaddr[6:2] == 5'd15) begin
      key_word[224+:32] <= (key_word[224+:32] & ~mask) | (s_axil_wdata & mask);
    end
    if (rst || key_word_hwclr) key_word <= '0;
    if (write && s_axil_awaddr[6:2] == 5'd16) begin
      iv_word[0+:32] <= (iv_word[0+:32] & ~mask) | (s_axil_wdata & mask);
    end
    if (write && s_axil_awaddr[6:2] == 5'd17) begin
      iv_word[32+:32] <= (iv_word[32+:32] & ~mask) | (s_axil_wdata & mask);
    end
    if (write && s_axil_awaddr[6:2] == 5'd18) begin
      iv_word[64+:32] <= (iv_word[64+:32] & ~mask) | (s_axil_wdata & mask);
    end
    if (write && s_axil_awaddr[6:2] == 5'd19) begin
      iv_word[96+:32] <= (iv_word[96+:32] & ~mask) | (s_axil_wdata & mask);
    end
    if (rst || iv_word_hwclr) iv_word <= '0;
    if (write && s_axil_awaddr[6:2] == 5'd20) begin
      load_slot <= (load_slot & ~mask[3:0]) | (s_axil_wdata[3:0] & mask[3:0]);
    end
    if (rst) load_slot <= '0;
    if (write && s_axil_awaddr[6:2] == 5'd21) begin
      push_mode <= (push_mode & ~mask[3:0]) | (s_axil_wdata[3:0] & mask[3:0]);
    end
    if (rst) push_mode <= '0;
    if (write && s_axil_awaddr[6:2] == 5'd21) begin
      push_decrypt <= (push_decrypt & ~mask[4]) | (s_axil_wdata[4] & mask[4]);
    end
    if (rst) push_decrypt <= '0;
    if (write && s_axil_awaddr[6:2] == 5'd21) begin
      push_slot <= (push_slot & ~mask[11:8]) | (s_axil_wdata[11:8] & mask[11:8]);
    end
    if (rst) push_slot <= '0;
  end

  logic unused_ok;
  assign unused_ok = &{
    1'b0, s_axil_awprot, s_axil_arprot, s_axil_awaddr[1:0], s_axil_araddr[1:0], mask
  };
endmodule

`default_nettype wire
