# cmake -DTEXT=FILE -DLITERAL=FILE -P EmbedText.cmake: the text as a raw string literal of C++.
file(READ ${TEXT} text)
file(WRITE ${LITERAL} "R\"PYTHON(${text})PYTHON\"\n")
