// SPDX-License-Identifier: Apache-2.0
// The registers of aesforge_packet_registers on AXI4-Lite. scripts/make_csr.py writes this file
// from aesforge_packet_engine.rdl. A write and a read every two cycles.
`default_nettype none

module aesforge_packet_csr (
    // clock, synchronous reset
    input  logic         clk,
    input  logic         rst,
    // AXI4-Lite
    input  logic         s_axil_awvalid,
    output logic         s_axil_awready,
    input  logic   [7:0] s_axil_awaddr,
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
    input  logic   [7:0] s_axil_araddr,
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
    input  logic         status_result_waits,
    input  logic         status_results_full,
    input  logic         status_packet_waits,
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
    // beats
    input  logic         beats_count_incr,
    input  logic         beats_count_hwclr,
    // key
    input  logic         key_word_hwclr,
    output logic [511:0] key_word,
    // iv
    input  logic         iv_word_hwclr,
    output logic [127:0] iv_word,
    // tag
    input  logic         tag_word_hwclr,
    output logic [127:0] tag_word,
    // aad
    input  logic         aad_bytes_hwclr,
    output logic  [31:0] aad_bytes,
    // text
    input  logic         text_bytes_hwclr,
    output logic  [31:0] text_bytes,
    // more
    input  logic         more_units_hwclr,
    output logic  [15:0] more_units,
    // iv_fixed
    input  logic         iv_fixed_word_hwclr,
    output logic  [31:0] iv_fixed_word,
    // load
    output logic   [3:0] load_slot,
    output logic         load_slot_swmod,
    // push
    output logic   [1:0] push_iv_kind,
    output logic         push_iv_kind_swmod,
    output logic         push_decrypt,
    output logic         push_tag_given,
    output logic   [3:0] push_slot,
    output logic   [3:0] push_iv_bytes,
    output logic   [4:0] push_tag_bytes,
    // result
    input  logic         result_error,
    input  logic         result_authentic,
    input  logic         result_iv_made,
    input  logic   [7:0] result_id,
    // pop
    output logic         pop_next,
    // result_tag
    input  logic [127:0] result_tag_word,
    // result_iv
    input  logic  [95:0] result_iv_word
);
  logic errors_packet;
  logic errors_context_dropped;
  logic errors_key_dropped;
  logic [31:0] packets_count;
  logic [31:0] packets_in_error_count;
  logic [31:0] beats_count;

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
    case (s_axil_araddr[7:2])
      6'd0: value = 32'h41455350;
      6'd2: begin
        value[0] = status_context_waits;
        value[1] = status_key_waits;
        value[2] = status_result_waits;
        value[3] = status_results_full;
        value[4] = status_packet_waits;
      end
      6'd3: begin
        value[0] = errors_packet;
        value[1] = errors_context_dropped;
        value[2] = errors_key_dropped;
      end
      6'd4: value = packets_count;
      6'd5: value = packets_in_error_count;
      6'd6: value = beats_count;
      6'd40: begin
        value[0] = result_error;
        value[1] = result_authentic;
        value[2] = result_iv_made;
        value[15:8] = result_id;
      end
      6'd44: value = result_tag_word[0+:32];
      6'd45: value = result_tag_word[32+:32];
      6'd46: value = result_tag_word[64+:32];
      6'd47: value = result_tag_word[96+:32];
      6'd48: value = result_iv_word[0+:32];
      6'd49: value = result_iv_word[32+:32];
      6'd50: value = result_iv_word[64+:32];
      default: value = '0;
    endcase
  end
  always_ff @(posedge clk) begin
    if (s_axil_arready) s_axil_rdata <= value;
    s_axil_rvalid <= s_axil_arready ? s_axil_arvalid : !s_axil_rready;
    if (rst) s_axil_rvalid <= 1'b0;
  end

  // Fields. What happens in the engine wins over a write in the same cycle.
  assign load_slot_swmod = write && s_axil_awaddr[7:2] == 6'd36 && mask[3:0] != '0;
  assign push_iv_kind_swmod = write && s_axil_awaddr[7:2] == 6'd37 && mask[1:0] != '0;
  always_ff @(posedge clk) begin
    control_zeroize <= write && s_axil_awaddr[7:2] == 6'd1 && s_axil_wdata[0] && mask[0];
    if (rst) control_zeroize <= '0;
    if (write && s_axil_awaddr[7:2] == 6'd3) begin
      errors_packet <= errors_packet & ~(s_axil_wdata[0] & mask[0]);
    end
    if (errors_packet_hwset) errors_packet <= '1;
    if (rst || errors_packet_hwclr) errors_packet <= '0;
    if (write && s_axil_awaddr[7:2] == 6'd3) begin
      errors_context_dropped <= errors_context_dropped & ~(s_axil_wdata[1] & mask[1]);
    end
    if (errors_context_dropped_hwset) errors_context_dropped <= '1;
    if (rst || errors_context_dropped_hwclr) errors_context_dropped <= '0;
    if (write && s_axil_awaddr[7:2] == 6'd3) begin
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
    beats_count <= (beats_count_hwclr ? '0 : beats_count)
        + 32'(beats_count_incr);
    if (rst) beats_count <= '0;
    if (write && s_axil_awaddr[7:2] == 6'd8) begin
      key_word[0+:32] <= (key_word[0+:32] & ~mask) | (s_axil_wdata & mask);
    end
    if (write && s_axil_awaddr[7:2] == 6'd9) begin
      key_word[32+:32] <= (key_word[32+:32] & ~mask) | (s_axil_wdata & mask);
    end
    if (write && s_axil_awaddr[7:2] == 6'd10) begin
      key_word[64+:32] <= (key_word[64+:32] & ~mask) | (s_axil_wdata & mask);
    end
    if (write && s_axil_awaddr[7:2] == 6'd11) begin
      key_word[96+:32] <= (key_word[96+:32] & ~mask) | (s_axil_wdata & mask);
    end
    if (write && s_axil_awaddr[7:2] == 6'd12) begin
      key_word[128+:32] <= (key_word[128+:32] & ~mask) | (s_axil_wdata & mask);
    end
    if (write && s_axil_awaddr[7:2] == 6'd13) begin
      key_word[160+:32] <= (key_word[160+:32] & ~mask) | (s_axil_wdata & mask);
    end
    if (write && s_axil_awaddr[7:2] == 6'd14) begin
      key_word[192+:32] <= (key_word[192+:32] & ~mask) | (s_axil_wdata & mask);
    end
    if (write && s_axil_awaddr[7:2] == 6'd15) begin
      key_word[224+:32] <= (key_word[224+:32] & ~mask) | (s_axil_wdata & mask);
    end
    if (write && s_axil_awaddr[7:2] == 6'd16) begin
      key_word[256+:32] <= (key_word[256+:32] & ~mask) | (s_axil_wdata & mask);
    end
    if (write && s_axil_awaddr[7:2] == 6'd17) begin
      key_word[288+:32] <= (key_word[288+:32] & ~mask) | (s_axil_wdata & mask);
    end
    if (write && s_axil_awaddr[7:2] == 6'd18) begin
      key_word[320+:32] <= (key_word[320+:32] & ~mask) | (s_axil_wdata & mask);
    end
    if (write && s_axil_awaddr[7:2] == 6'd19) begin
      key_word[352+:32] <= (key_word[352+:32] & ~mask) | (s_axil_wdata & mask);
    end
    if (write && s_axil_awaddr[7:2] == 6'd20) begin
      key_word[384+:32] <= (key_word[384+:32] & ~mask) | (s_axil_wdata & mask);
    end
    if (write && s_axil_awaddr[7:2] == 6'd21) begin
      key_word[416+:32] <= (key_word[416+:32] & ~mask) | (s_axil_wdata & mask);
    end
    if (write && s_axil_awaddr[7:2] == 6'd22) begin
      key_word[448+:32] <= (key_word[448+:32] & ~mask) | (s_axil_wdata & mask);
    end
    if (write && s_axil_awaddr[7:2] == 6'd23) begin
      key_word[480+:32] <= (key_word[480+:32] & ~mask) | (s_axil_wdata & mask);
    end
    if (rst || key_word_hwclr) key_word <= '0;
    if (write && s_axil_awaddr[7:2] == 6'd24) begin
      iv_word[0+:32] <= (iv_word[0+:32] & ~mask) | (s_axil_wdata & mask);
    end
    if (write && s_axil_awaddr[7:2] == 6'd25) begin
      iv_word[32+:32] <= (iv_word[32+:32] & ~mask) | (s_axil_wdata & mask);
    end
    if (write && s_axil_awaddr[7:2] == 6'd26) begin
      iv_word[64+:32] <= (iv_word[64+:32] & ~mask) | (s_axil_wdata & mask);
    end
    if (write && s_axil_awaddr[7:2] == 6'd27) begin
      iv_word[96+:32] <= (iv_word[96+:32] & ~mask) | (s_axil_wdata & mask);
    end
    if (rst || iv_word_hwclr) iv_word <= '0;
    if (write && s_axil_awaddr[7:2] == 6'd28) begin
      tag_word[0+:32] <= (tag_word[0+:32] & ~mask) | (s_axil_wdata & mask);
    end
    if (write && s_axil_awaddr[7:2] == 6'd29) begin
      tag_word[32+:32] <= (tag_word[32+:32] & ~mask) | (s_axil_wdata & mask);
    end
    if (write && s_axil_awaddr[7:2] == 6'd30) begin
      tag_word[64+:32] <= (tag_word[64+:32] & ~mask) | (s_axil_wdata & mask);
    end
    if (write && s_axil_awaddr[7:2] == 6'd31) begin
      tag_word[96+:32] <= (tag_word[96+:32] & ~mask) | (s_axil_wdata & mask);
    end
    if (rst || tag_word_hwclr) tag_word <= '0;
    if (write && s_axil_awaddr[7:2] == 6'd32) begin
      aad_bytes <= (aad_bytes & ~mask) | (s_axil_wdata & mask);
    end
    if (rst || aad_bytes_hwclr) aad_bytes <= '0;
    if (write && s_axil_awaddr[7:2] == 6'd33) begin
      text_bytes <= (text_bytes & ~mask) | (s_axil_wdata & mask);
    end
    if (rst || text_bytes_hwclr) text_bytes <= '0;
    if (write && s_axil_awaddr[7:2] == 6'd34) begin
      more_units <= (more_units & ~mask[15:0]) | (s_axil_wdata[15:0] & mask[15:0]);
    end
    if (rst || more_units_hwclr) more_units <= '0;
    if (write && s_axil_awaddr[7:2] == 6'd35) begin
      iv_fixed_word <= (iv_fixed_word & ~mask) | (s_axil_wdata & mask);
    end
    if (rst || iv_fixed_word_hwclr) iv_fixed_word <= '0;
    if (write && s_axil_awaddr[7:2] == 6'd36) begin
      load_slot <= (load_slot & ~mask[3:0]) | (s_axil_wdata[3:0] & mask[3:0]);
    end
    if (rst) load_slot <= '0;
    if (write && s_axil_awaddr[7:2] == 6'd37) begin
      push_iv_kind <= (push_iv_kind & ~mask[1:0]) | (s_axil_wdata[1:0] & mask[1:0]);
    end
    if (rst) push_iv_kind <= '0;
    if (write && s_axil_awaddr[7:2] == 6'd37) begin
      push_decrypt <= (push_decrypt & ~mask[4]) | (s_axil_wdata[4] & mask[4]);
    end
    if (rst) push_decrypt <= '0;
    if (write && s_axil_awaddr[7:2] == 6'd37) begin
      push_tag_given <= (push_tag_given & ~mask[5]) | (s_axil_wdata[5] & mask[5]);
    end
    if (rst) push_tag_given <= '0;
    if (write && s_axil_awaddr[7:2] == 6'd37) begin
      push_slot <= (push_slot & ~mask[11:8]) | (s_axil_wdata[11:8] & mask[11:8]);
    end
    if (rst) push_slot <= '0;
    if (write && s_axil_awaddr[7:2] == 6'd37) begin
      push_iv_bytes <= (push_iv_bytes & ~mask[15:12]) | (s_axil_wdata[15:12] & mask[15:12]);
    end
    if (rst) push_iv_bytes <= '0;
    if (write && s_axil_awaddr[7:2] == 6'd37) begin
      push_tag_bytes <= (push_tag_bytes & ~mask[20:16]) | (s_axil_wdata[20:16] & mask[20:16]);
    end
    if (rst) push_tag_bytes <= '0;
    pop_next <= write && s_axil_awaddr[7:2] == 6'd41 && s_axil_wdata[0] && mask[0];
    if (rst) pop_next <= '0;
  end

  logic unused_ok;
  assign unused_ok = &{
    1'b0, s_axil_awprot, s_axil_arprot, s_axil_awaddr[1:0], s_axil_araddr[1:0], mask
  };
endmodule

`default_nettype wire
