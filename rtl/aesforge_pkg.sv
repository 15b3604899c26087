// SPDX-License-Identifier: Apache-2.0
// Names and wire-level functions of FIPS 197 that the modules share.
`default_nettype none

package aesforge_pkg;
  // A design uses some of these names, not all.
  /* verilator lint_off UNUSEDPARAM */

  // Direction of a core or of one transform.
  localparam int unsigned Encrypt = 0;
  localparam int unsigned Decrypt = 1;
  localparam int unsigned Both = 2;

  // S-box styles (aesforge_sbox) and MixColumns styles (aesforge_mix_column).
  localparam int unsigned SboxTable = 0;
  localparam int unsigned SboxSplit4 = 1;
  localparam int unsigned SboxSplit6 = 2;
  localparam int unsigned SboxTower = 3;
  localparam int unsigned SboxBram = 4;
  localparam int unsigned MixXtime = 0;
  localparam int unsigned MixTable = 1;
  localparam int unsigned MixShared = 2;

  // ShiftRows of a column-wide data path (aesforge_shift_rows).
  localparam int unsigned ShiftRegister = 0;
  localparam int unsigned ShiftAddressed = 1;

  // Modes of operation (SP 800-38A) as a context names them; an engine's set of modes has a bit for
  // each.
  localparam int unsigned ModeEcb = 0;
  localparam int unsigned ModeCtr = 1;
  localparam int unsigned ModeCbc = 2;
  localparam int unsigned ModeCfb = 3;

  // Delay lines (aesforge_delay).
  localparam int unsigned DelayRegister = 0;
  localparam int unsigned DelayRam = 1;

  // Memories of queues (aesforge_queue_ram).
  localparam int unsigned QueueBlock = 0;
  localparam int unsigned QueueDistributed = 1;

  // Modes in which a block waits for a result of its own packet (aesforge_mode_feedback).
  localparam int unsigned ModeOfb = 4;
  localparam int unsigned ModeCfb8 = 5;
  localparam int unsigned ModeCbcMac = 6;
  localparam int unsigned ModeCmac = 7;
  /* verilator lint_on UNUSEDPARAM */

  // Byte 0 stands at the low end on a bus and at the top everywhere else: the lowest `bytes` bytes
  // in reverse order. A key or a block; aesforge_axis_shell has its own for beats of many blocks.
  function automatic logic [255:0] byte_swap(input logic [255:0] data, input int unsigned bytes);
    for (int i = 0; i < 32; i++) byte_swap[8*i+:8] = data[8*(31-i)+:8];
    byte_swap = byte_swap >> (8 * (32 - bytes));
  endfunction

  // Sec. 4.2: multiplication by {02}.
  function automatic logic [7:0] xtimes(input logic [7:0] b);
    xtimes = {b[6:0], 1'b0} ^ {3'b0, b[7], b[7], 1'b0, b[7], b[7]};
  endfunction

  // Sec. 5.1.2. Byte r + 4c of the state is row r, column c; byte 0 is at the top of the vector.
  function automatic logic [127:0] shift_rows(input logic [127:0] s);
    for (int c = 0; c < 4; c++) begin
      for (int r = 0; r < 4; r++) begin
        shift_rows[127-8*(r+4*c)-:8] = s[127-8*(r+4*((c+r)%4))-:8];
      end
    end
  endfunction

  // Sec. 5.3.1.
  function automatic logic [127:0] inv_shift_rows(input logic [127:0] s);
    for (int c = 0; c < 4; c++) begin
      for (int r = 0; r < 4; r++) begin
        inv_shift_rows[127-8*(r+4*((c+r)%4))-:8] = s[127-8*(r+4*c)-:8];
      end
    end
  endfunction

  // Sec. 5.2, Table 5: the top byte of Rcon[j]; 0 for j = 0, which stands for "no Rcon here".
  function automatic logic [7:0] rcon(input logic [3:0] j);
    case (j)
      4'd1: rcon = 8'h01;
      4'd2: rcon = 8'h02;
      4'd3: rcon = 8'h04;
      4'd4: rcon = 8'h08;
      4'd5: rcon = 8'h10;
      4'd6: rcon = 8'h20;
      4'd7: rcon = 8'h40;
      4'd8: rcon = 8'h80;
      4'd9: rcon = 8'h1b;
      4'd10: rcon = 8'h36;
      default: rcon = 8'h00;
    endcase
  endfunction

  // For 192-bit keys three rounds take 12 words, two times Nk: where `step` stands in that
  // period. 0: four new words, SubWord before the first; 1: two new words, no SubWord;
  // 2: six new words, SubWord before the first.
  function automatic logic [1:0] phase192(input logic [3:0] step);
    case (step)
      4'd1, 4'd4, 4'd7, 4'd10: phase192 = 2'd0;
      4'd2, 4'd5, 4'd8, 4'd11: phase192 = 2'd1;
      default: phase192 = 2'd2;
    endcase
  endfunction

  // The j of the Rcon[j] that step `step` (1 to Nr) of the key schedule adds, 0 for none.
  function automatic logic [3:0] rcon_index(input int unsigned key_bits, input logic [3:0] step);
    case (key_bits)
      192: begin
        case (step)
          4'd1: rcon_index = 4'd1;
          4'd3: rcon_index = 4'd2;
          4'd4: rcon_index = 4'd3;
          4'd6: rcon_index = 4'd4;
          4'd7: rcon_index = 4'd5;
          4'd9: rcon_index = 4'd6;
          4'd10: rcon_index = 4'd7;
          4'd12: rcon_index = 4'd8;
          default: rcon_index = 4'd0;
        endcase
      end
      256: rcon_index = step[0] ? {1'b0, step[3:1]} + 4'd1 : 4'd0;
      default: rcon_index = step;
    endcase
  endfunction
endpackage

`default_nettype wire
