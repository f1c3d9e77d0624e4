# Run as a script: writes the bytes of INPUT into the C file OUTPUT as SYMBOL and SYMBOL_length.
file(READ ${INPUT} hex HEX)
file(SIZE ${INPUT} size)
string(REGEX REPLACE "(................................)" "\\1\n    " hex "${hex}")
string(REGEX REPLACE "([0-9a-f][0-9a-f])" "0x\\1, " bytes "${hex}")
file(
  WRITE ${OUTPUT}
  "#include \"${HEADER}\"\n\nconst unsigned char ${SYMBOL}[] = {\n    ${bytes}\n};\n"
  "const size_t ${SYMBOL}_length = ${size};\n")
