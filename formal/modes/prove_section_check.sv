// SPDX-License-Identifier: Apache-2.0
// aesforge_section_check: of the beats of a packet, associated data, text and a tag, the first that
// is not legal is an error, and none before it.
`default_nettype none

module prove_section_check #(
    parameter int unsigned Bytes = 16,
    // 1: also that from which all this follows; without, only what the outside sees
    parameter bit Steps = 1'b1,
    // 1: asserts that what must be reachable is not
    parameter bit Cover = 1'b0
) (
    input logic             clk,
    input logic             rst,
    // the shell moves a beat, or a bubble, one stage on
    input logic             step,
    input logic             s_valid,
    input logic [Bytes-1:0] s_keep,
    input logic             s_aad,
    input logic             s_last,
    input logic [      6:0] s_tag_length
);
  // The head of the shell: the beat whose tkeep is in the check.
  logic begun = 1'b0, head = 1'b0, inside = 1'b0, aad, last;
  logic [Bytes-1:0] keep;
  logic [6:0] tag_length;
  wire first = step && s_valid && !inside;
  wire error;
  aesforge_section_check #(
      .Bytes(Bytes)
  ) u_check (
      .clk,
      .rst,
      .s_valid(step),
      .s_keep,
      .s_first(!inside),
      .s_tag_length,
      .valid(step && head),
      .aad,
      .last,
      .error
  );
  always_ff @(posedge clk) begin
    begun <= 1'b1;
    if (step) begin
      head <= s_valid;
      {keep, aad, last} <= {s_keep, s_aad, s_last};
      if (s_valid) inside <= !s_last;
    end
    if (first) tag_length <= s_tag_length;
    if (rst) {head, inside} <= '0;
  end

  // How many bytes the beat has: those before the first that is not kept.
  logic [$clog2(Bytes+1)-1:0] count;
  logic whole;
  always_comb begin
    count = '0;
    whole = 1'b1;
    for (int i = 0; i < Bytes; i++) begin
      if (keep[i] && 32'(count) == i) count = count + 1'b1;
      else if (keep[i]) whole = 1'b0;
    end
  end

  // The length of a tag of so many bytes, as the check has it.
  logic [6:0] length;
  always_comb begin
    length = '0;
    case (32'(count))
      4: length[0] = 1'b1;
      8: length[1] = 1'b1;
      12: length[2] = 1'b1;
      13: length[3] = 1'b1;
      14: length[4] = 1'b1;
      15: length[5] = 1'b1;
      16: length[6] = 1'b1;
      default: ;
    endcase
  end

  // The packet so far: whether a beat was not legal; whether text came; and whether the beat before
  // was not full, which ends its section.
  logic wrong = 1'b0, text = 1'b0, ended = 1'b0;
  logic legal;
  always_comb begin
    legal = whole && count != '0;
    if (last) legal = legal && !aad && (length & tag_length) != '0;
    else if (aad) legal = legal && !text && !ended;
    else legal = legal && !(text && ended);
  end
  logic seen_legal = 1'b0, seen_wrong = 1'b0;
  always_ff @(posedge clk) begin
    if (step && head) begin
      wrong <= !last && (wrong || !legal);
      text  <= !last && (text || !aad);
      ended <= !last && count != ($clog2(Bytes + 1))'(Bytes);
      if (last && !wrong) begin
        if (legal) seen_legal <= seen_legal || text;
        else seen_wrong <= 1'b1;
      end
    end
    if (rst) {wrong, text, ended} <= '0;
  end

  // Registers of the module, connected by the script.
  (* keep *) logic bad_q, full_q, fits_q, text_q, part_q, part_aad_q;
  (* keep *) logic [6:0] tag_length_q;
  always_comb begin
    assume (begun || rst);
    if (Cover) begin
      assert (!(seen_legal && seen_wrong));
    end else if (begun) begin
      if (head && !wrong) assert (error == !legal);
      if (Steps) begin
        if (head) begin
          assert (bad_q == !(whole && count != '0));
          assert (full_q == keep[Bytes-1]);
          if (!bad_q) assert (fits_q == ((length & tag_length) != '0));
        end
        if (inside) assert (tag_length_q == tag_length);
        assert (text_q == text);
        if (!wrong) assert (part_q == ended && (!ended || part_aad_q == !text));
      end
    end
  end
endmodule

`default_nettype wire
