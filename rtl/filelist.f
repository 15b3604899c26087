aesforge_pkg.sv
sbox/aesforge_sbox_table.sv
sbox/aesforge_sbox_split.sv
sbox/aesforge_sbox_tower.sv
sbox/aesforge_sbox_bram.sv
sbox/aesforge_sbox.sv
sbox/aesforge_sub_word.sv
