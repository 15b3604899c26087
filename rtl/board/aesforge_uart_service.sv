// SPDX-License-Identifier: Apache-2.0
// Puts an engine on a UART: frames with commands come in, and each is answered by a frame
// (docs/boards/uart.md). One packet at a time, as fast as the UART.
`default_nettype none

module aesforge_uart_service #(
    parameter int unsigned Divider = 217,  // [4 or more] clock cycles per bit of the UART
    // [2 or more] cycles of silence that end a broken frame, and cycles that an engine may stand
    parameter int unsigned TimeoutCycles = 2_500_000,
    // [a power of two from 64 to 32768] most bytes of a payload
    parameter int unsigned BufferBytes = 1024,
    // [128, 192, 256, 512] of a key; of both keys of XTS
    parameter int unsigned KeyBits = 128,
    parameter int unsigned KeySlots = 0,  // [0, 2 to 16] those of the engine; 0: agile keys
    // [0 to 255] modes that the engine encrypts, a bit for each code of `s_ctx_mode`
    parameter int unsigned EncryptModes = 2,
    parameter int unsigned DecryptModes = 2,  // [0 to 255] modes that it decrypts
    // [0 to 4] packets: 0 data, 1 those of GCM, 2 of CCM, 3 of OCB, 4 data units (XTS)
    parameter int unsigned Packets = 0,
    // [0 to 65535] legal lengths of a tag, bit n - 1 for n bytes; 0 where packets have none
    parameter int unsigned TagLengths = 0,
    // [1 or more] most cycles of the engine's zeroization
    parameter int unsigned ZeroizeCycles = 1024,
    parameter bit [255:0] Name = '0,  // [text] of the design, at most 32 characters
    localparam int unsigned SlotBits = KeySlots > 1 ? $clog2(KeySlots) : 1
) (
    input  logic                clk,  // clock
    // synchronous reset; zeroizes like `zeroize`, which takes the greater of `BufferBytes` and
    // `ZeroizeCycles` cycles
    input  logic                rst,
    input  logic                rxd,  // UART from the host; asynchronous to `clk`
    output logic                txd,  // UART to the host
    output logic                busy,  // a command is carried out, or its answer sent
    output logic                zeroize,  // to the engine: zeroize everything
    output logic                s_key_tvalid,  // a key for a slot (stored keys only)
    input  logic                s_key_tready,  // it is accepted
    output logic [SlotBits-1:0] s_key_slot,  // its slot
    output logic [ KeyBits-1:0] s_key_tdata,  // the key, byte 0 in bits 7 to 0
    output logic                s_ctx_tvalid,  // the context of a packet
    input  logic                s_ctx_tready,  // it is accepted
    output logic [ KeyBits-1:0] s_ctx_key,  // its key (agile keys only)
    output logic [SlotBits-1:0] s_ctx_slot,  // slot of its key (stored keys only)
    output logic [       127:0] s_ctx_iv,  // its IV, byte 0 in bits 7 to 0
    output logic [         3:0] s_ctx_iv_bytes,  // bytes of the IV (CCM and OCB)
    // 0: the IV is in `s_ctx_iv`; 1: the text of this packet is an IV; 2: it is that one (GCM)
    output logic [         1:0] s_ctx_iv_kind,
    output logic [         2:0] s_ctx_mode,  // its mode
    output logic                s_ctx_decrypt,  // 1: decrypt
    output logic [         4:0] s_ctx_tag_bytes,  // bytes of its tag
    output logic [        31:0] s_ctx_aad_bytes,  // bytes of additional authenticated data
    output logic [        31:0] s_ctx_text_bytes,  // bytes of text
    output logic                s_axis_tvalid,  // a beat of the packet
    input  logic                s_axis_tready,  // it is accepted
    output logic [       127:0] s_axis_tdata,  // its bytes, byte 0 in bits 7 to 0
    output logic [        15:0] s_axis_tkeep,  // a bit for each byte
    output logic                s_axis_tlast,  // the packet ends with this beat
    output logic                s_axis_tuser,  // it is additional authenticated data
    input  logic                m_axis_tvalid,  // a beat of the result
    output logic                m_axis_tready,  // it is accepted
    input  logic [       127:0] m_axis_tdata,  // its bytes, byte 0 in bits 7 to 0
    input  logic [        15:0] m_axis_tkeep,  // a bit for each byte
    input  logic                m_axis_tlast,  // the packet ends with this beat
    // bits 1 and 0 of the engine's: additional authenticated data, and error
    input  logic [         1:0] m_axis_tuser
);
  localparam int unsigned IndexBits = $clog2(BufferBytes);
  localparam bit Stored = KeySlots > 1;
  localparam int unsigned Slots = Stored ? KeySlots : 1;
  localparam bit Gcm = Packets == 1;
  // A packet is additional authenticated data, text and a tag.
  localparam bit Sections = Packets >= 1 && Packets <= 3;
  // Legal lengths of an IV, in bytes.
  localparam int unsigned LeastIv = Packets == 2 ? 7 : 1;
  localparam int unsigned MostIv = Gcm ? 128 : Packets == 2 ? 13 : 15;
  if (BufferBytes < 64 || BufferBytes > 32768 || 1 << IndexBits != BufferBytes) begin : gen_bad_size
    $error("BufferBytes must be a power of two from 64 to 32768");
  end
  if (Packets > 4 || Sections != (TagLengths != 0)) begin : gen_bad_packets
    $error("Packets must be 0 to 4, and TagLengths 0 unless it is 1, 2 or 3");
  end

  // Commands; an answer has bit 7 set, and an error has all bits set.
  localparam logic [7:0] Identify = 8'd1, LoadKey = 8'd2, RunPacket = 8'd3, Zeroize = 8'd4;
  localparam logic [7:0] Failed = 8'hff;
  // Errors, after those of aesforge_frame_rx.
  localparam logic [3:0] Good = 4'd0, WrongLength = 4'd2, UnknownCommand = 4'd3;
  localparam logic [3:0] WrongArgument = 4'd6, NoKey = 4'd7, EngineStands = 4'd8;
  // Bytes before the key or the data: slot; slot, mode, direction and IV; of packets with sections
  // lengths of IV and tag, and two bytes for that of the additional authenticated data.
  localparam int unsigned KeyHeader = 1, DataHeader = 19, SectionHeader = 23;
  localparam int unsigned RunHeader = Sections ? SectionHeader : DataHeader;
  // What Identify answers, byte 0 in bits 7 to 0: the version of the protocol is 2.
  localparam int unsigned IdentityBytes = 10 + 32;
  localparam logic [8*IdentityBytes-1:0] Identity = {
    aesforge_pkg::byte_swap(Name, 32),
    16'(TagLengths),
    8'(Packets),
    16'(BufferBytes),
    8'(DecryptModes),
    8'(EncryptModes),
    8'(KeySlots),
    8'(KeyBits / 8),
    8'd2
  };

  // --- UART and frames

  logic rx_valid, rx_error, tx_valid, tx_ready;
  logic [7:0] rx_data, tx_data;
  aesforge_uart_rx #(
      .Divider(Divider)
  ) u_rx (
      .clk,
      .rst,
      .rxd,
      .valid(rx_valid),
      .data(rx_data),
      .error(rx_error)
  );
  aesforge_uart_tx #(
      .Divider(Divider)
  ) u_tx (
      .clk,
      .rst,
      .valid(tx_valid),
      .ready(tx_ready),
      .data(tx_data),
      .txd
  );

  logic listen, payload_valid, frame_done;
  logic [IndexBits-1:0] payload_index;
  logic [2:0] frame_error;
  logic [7:0] command, number;
  logic [15:0] frame_length;
  aesforge_frame_rx #(
      .MostBytes(BufferBytes),
      .TimeoutCycles(TimeoutCycles)
  ) u_frame_rx (
      .clk,
      .rst,
      .listen,
      .byte_valid(rx_valid),
      .byte_error(rx_error),
      .byte_data(rx_data),
      .payload_valid,
      .payload_index,
      .done(frame_done),
      .error(frame_error),
      .command,
      .number,
      .length(frame_length)
  );

  logic answer, answering;
  logic [7:0] answer_kind, answer_payload;
  logic [15:0] answer_length, answer_index;
  aesforge_frame_tx u_frame_tx (
      .clk,
      .rst,
      .start(answer),
      .busy(answering),
      .kind(answer_kind),
      .number,
      .length(answer_length),
      .index(answer_index),
      .payload(answer_payload),
      .byte_valid(tx_valid),
      .byte_ready(tx_ready),
      .byte_data(tx_data)
  );

  // --- What is being done

  localparam logic [2:0] Zeroizing = 3'd0, Listen = 3'd1, Fetch = 3'd2, Load = 3'd3, Context = 3'd4;
  localparam logic [2:0] Run = 3'd5, Answer = 3'd6, Measure = 3'd7;
  logic [2:0] state_q;
  logic [3:0] error_q;  // what the answer says
  logic answered;
  assign listen = state_q == Listen;
  assign busy = state_q != Listen && state_q != Zeroizing;

  // Zeroization, of the buffer byte by byte.
  localparam int unsigned ZeroCycles = ZeroizeCycles > BufferBytes ? ZeroizeCycles : BufferBytes;
  localparam int unsigned ZeroBits = $clog2(ZeroCycles);
  logic [ZeroBits-1:0] zero_q;
  logic answer_after_q;  // a command or an error led to it, not the reset
  logic zeroizing;
  assign zeroizing = state_q == Zeroizing;
  assign zeroize = zeroizing && zero_q == '0;

  // The bytes before the data: step i asks for byte i, and the next step takes it.
  localparam int unsigned HeaderBits = $clog2(KeyBits / 8 + RunHeader + 1);
  logic [HeaderBits-1:0] fetch_q, taken;
  logic [7:0] fetched;
  logic take, slot_wrong, mode_wrong;
  logic [SlotBits-1:0] slot_q;
  logic [7:0] mode_q, modes;
  logic decrypt_q;
  logic [KeyBits-1:0] key_q;  // the agile key, or one on its way to its slot
  logic [127:0] iv_q;
  logic [Slots-1:0] keyed_q;  // slots that hold a key
  logic [7:0] iv_bytes_q, tag_bytes_q;
  logic [15:0] aad_bytes_q, text_bytes_q;
  assign take = state_q == Fetch && fetch_q != '0;
  assign taken = fetch_q - 1'b1;
  assign slot_wrong = 32'(fetched) >= Slots;
  assign modes = fetched == 8'd0 ? 8'(EncryptModes) : fetched == 8'd1 ? 8'(DecryptModes) : 8'd0;
  assign mode_wrong = mode_q > 8'd7 || !modes[mode_q[2:0]];

  logic no_key;
  assign no_key = !keyed_q[Stored?slot_q : '0];

  // Lengths of sections. In GCM an IV that has not 12 bytes stands before the additional
  // authenticated data, and goes to the engine first, as a packet of its own.
  logic iv_long, iv_turn_q, lengths_wrong;
  logic [3:0] tag_index;
  logic [7:0] iv_extra;
  logic [16:0] outside;  // bytes of the payload that are no text
  assign iv_long = Gcm && iv_bytes_q != 8'd12;
  assign iv_extra = iv_long ? iv_bytes_q : '0;
  assign outside = 17'(RunHeader) + 17'(iv_extra) + 17'(aad_bytes_q) + 17'(tag_bytes_q);
  assign tag_index = tag_bytes_q[3:0] - 4'd1;
  assign lengths_wrong = tag_bytes_q == '0 || tag_bytes_q > 8'd16
      || !TagLengths[5'(tag_index)] || 32'(iv_bytes_q) < LeastIv || 32'(iv_bytes_q) > MostIv;

  // An engine that stands is given up.
  localparam int unsigned WatchBits = $clog2(TimeoutCycles + 1);
  logic [WatchBits-1:0] watch_q;
  logic moved, stands, packet_busy;
  assign stands = watch_q == WatchBits'(TimeoutCycles);

  always_ff @(posedge clk) begin
    watch_q <= '0;
    case (state_q)
      Zeroizing: begin
        zero_q <= zero_q + 1'b1;
        key_q <= '0;
        iv_q <= '0;
        keyed_q <= '0;
        if (zero_q == ZeroBits'(ZeroCycles - 1)) begin
          state_q <= answer_after_q ? Answer : Listen;
        end
      end
      Listen: begin
        zero_q <= '0;
        answer_after_q <= 1'b1;
        fetch_q <= '0;
        error_q <= Good;
        if (frame_done) begin
          state_q <= Answer;
          if (frame_error != '0) error_q <= {1'b0, frame_error};
          else begin
            case (command)
              Identify: if (frame_length != '0) error_q <= WrongLength;
              LoadKey:
              if (32'(frame_length) == KeyHeader + KeyBits / 8) state_q <= Fetch;
              else error_q <= WrongLength;
              RunPacket:
              if (32'(frame_length) >= RunHeader) state_q <= Fetch;
              else error_q <= WrongLength;
              Zeroize:
              if (frame_length == '0) state_q <= Zeroizing;
              else error_q <= WrongLength;
              default: error_q <= UnknownCommand;
            endcase
          end
        end
      end
      Fetch: begin
        fetch_q <= fetch_q + 1'b1;
        if (take && taken == '0) begin
          slot_q <= SlotBits'(fetched);
          if (slot_wrong) begin
            error_q <= WrongArgument;
            state_q <= Answer;
          end
        end else if (take && command == LoadKey) begin
          key_q <= {fetched, key_q[KeyBits-1:8]};
          if (taken == HeaderBits'(KeyBits / 8)) state_q <= Load;
        end else if (take) begin
          if (taken == HeaderBits'(1)) mode_q <= fetched;
          else if (taken == HeaderBits'(2)) begin
            decrypt_q <= fetched[0];
            if (mode_wrong || no_key) begin
              error_q <= mode_wrong ? WrongArgument : NoKey;
              state_q <= Answer;
            end
          end else if (taken < HeaderBits'(DataHeader)) iv_q <= {fetched, iv_q[127:8]};
          else if (taken == HeaderBits'(DataHeader)) iv_bytes_q <= fetched;
          else if (taken == HeaderBits'(DataHeader + 1)) tag_bytes_q <= fetched;
          else aad_bytes_q <= {fetched, aad_bytes_q[15:8]};
          if (taken == HeaderBits'(RunHeader - 1)) state_q <= Sections ? Measure : Context;
        end
      end
      Measure: begin
        iv_turn_q <= iv_long;
        text_bytes_q <= frame_length - outside[15:0];
        state_q <= Context;
        if (lengths_wrong || outside > 17'(frame_length)) begin
          error_q <= lengths_wrong ? WrongArgument : WrongLength;
          state_q <= Answer;
        end
      end
      Load:
      if (s_key_tready || !Stored) begin
        keyed_q[Stored?slot_q : '0] <= 1'b1;
        if (Stored) key_q <= '0;
        state_q <= Answer;
      end else watch_q <= watch_q + 1'b1;
      Context:
      if (s_ctx_tready) state_q <= Run;
      else watch_q <= watch_q + 1'b1;
      Run:
      if (!packet_busy) begin
        iv_turn_q <= 1'b0;
        state_q <= Sections && iv_turn_q ? Context : Answer;
      end else if (!moved) watch_q <= watch_q + 1'b1;
      default: if (answered) state_q <= Listen;
    endcase
    if (stands) begin
      error_q <= EngineStands;
      state_q <= Zeroizing;
    end
    if (rst) begin
      state_q <= Zeroizing;
      zero_q <= '0;
      answer_after_q <= 1'b0;
      error_q <= Good;
    end
  end

  // --- The engine

  assign s_key_tvalid = Stored && state_q == Load && !stands;
  assign s_key_slot = slot_q;
  assign s_key_tdata = Stored ? key_q : '0;
  assign s_ctx_tvalid = state_q == Context && !stands;
  assign s_ctx_key = Stored ? '0 : key_q;
  assign s_ctx_slot = Stored ? slot_q : '0;
  assign s_ctx_iv = iv_q;
  assign s_ctx_mode = mode_q[2:0];
  assign s_ctx_decrypt = decrypt_q;
  assign s_ctx_iv_bytes = Sections ? iv_bytes_q[3:0] : '0;
  assign s_ctx_iv_kind = !iv_long ? 2'd0 : iv_turn_q ? 2'd1 : 2'd2;
  assign s_ctx_tag_bytes = Sections ? tag_bytes_q[4:0] : '0;
  assign s_ctx_aad_bytes = Sections ? 32'(aad_bytes_q) : '0;
  assign s_ctx_text_bytes = Sections ? 32'(text_bytes_q) : '0;

  logic result_error, result_write;
  logic [15:0] result_length, aad_length, text_length, last_length;
  logic [IndexBits-1:0] first, packet_index, result_index;
  logic [7:0] result_data;
  always_comb begin
    first = IndexBits'(RunHeader);
    aad_length = '0;
    text_length = '0;
    last_length = frame_length - 16'(RunHeader);
    if (Sections) begin
      // What comes of an IV is overwritten by what comes of its packet.
      if (!iv_turn_q) first = IndexBits'(RunHeader) + IndexBits'(iv_extra);
      aad_length = iv_turn_q ? '0 : aad_bytes_q;
      text_length = iv_turn_q ? 16'(iv_bytes_q) : text_bytes_q;
      last_length = 16'(tag_bytes_q);
    end
  end
  aesforge_ram_packet #(
      .Bytes(BufferBytes)
  ) u_packet (
      .clk,
      .rst,
      .zeroize(zeroizing),
      .start(state_q == Context && s_ctx_tready),
      .first,
      .aad_length,
      .text_length,
      .length(last_length),
      .keep_last(!Sections || !decrypt_q),
      .busy(packet_busy),
      .result_length,
      .result_error,
      .moved,
      .read_index(packet_index),
      .read_data(fetched),
      .write(result_write),
      .write_index(result_index),
      .write_data(result_data),
      .s_axis_tvalid,
      .s_axis_tready,
      .s_axis_tdata,
      .s_axis_tkeep,
      .s_axis_tlast,
      .s_axis_tuser,
      .m_axis_tvalid,
      .m_axis_tready,
      .m_axis_tdata,
      .m_axis_tkeep,
      .m_axis_tlast,
      .m_axis_tuser({Sections && m_axis_tuser[1], m_axis_tuser[0]})
  );

  // --- The buffer: payloads, and results in their places

  logic write;
  logic [IndexBits-1:0] write_index, read_index;
  logic [7:0] write_data;
  always_comb begin
    write = payload_valid || result_write || zeroizing;
    write_index = payload_index;
    write_data = rx_data;
    if (state_q == Run) begin
      write_index = result_index;
      write_data = result_data;
    end
    if (zeroizing) begin
      write_index = IndexBits'(zero_q);
      write_data = '0;
    end
    read_index = IndexBits'(answer_index - 16'd1);
    if (state_q == Fetch) read_index = IndexBits'(fetch_q);
    if (state_q == Run) read_index = packet_index;
  end
  // No byte is read in the cycle in which it is written.
  (* no_rw_check *)
  logic [7:0] buffer[0:BufferBytes-1];
  always_ff @(posedge clk) begin
    if (write) buffer[write_index] <= write_data;
    fetched <= buffer[read_index];
  end

  // --- Answers

  logic answered_q;
  assign answer = state_q == Answer && !answering && !answered_q;
  assign answered = answered_q && !answering;
  always_ff @(posedge clk) answered_q <= state_q == Answer && (answer || answered_q);

  always_comb begin
    answer_kind = command | 8'h80;
    answer_length = '0;
    answer_payload = fetched;
    if (error_q != Good) begin
      answer_kind = Failed;
      answer_length = 16'd1;
      answer_payload = {4'd0, error_q};
    end else if (command == Identify) begin
      answer_length = 16'(IdentityBytes);
      answer_payload = Identity[8*answer_index[5:0]+:8];
    end else if (command == RunPacket) begin
      // No byte of a packet whose tag is wrong.
      answer_length = Sections && result_error ? 16'd1 : result_length + 16'd1;
      if (answer_index == '0) answer_payload = {7'd0, result_error};
    end
  end
endmodule

`default_nettype wire
