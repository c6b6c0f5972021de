#!/bin/sh
# Makes the PDFs of this folder again from the documents of the own set, each with another program.
# Needs pandoc, pdflatex, latex, dvips, ps2pdf, groff, soffice, chromium and python3-cairo.
# Usage: test/web/pdfs/make.sh
set -eu
here=$(cd "$(dirname "$0")" && pwd)
from=$here/../../own-set/documents
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"

body() { # body FORMAT NAME…: the documents as the body of a text in another format
  format=$1
  shift
  for name in "$@"; do cat "$from/$name"; echo; done | pandoc -f markdown -t "$format" --wrap=none
}

# LaTeX: two columns, ligatures, hyphens, pages numbered with small Roman numerals.
{
  printf '%s\n' '\documentclass[a5paper,twocolumn,10pt]{article}' \
    '\usepackage[margin=14mm]{geometry}' '\usepackage[hidelinks,pdfpagelabels]{hyperref}' '\pagestyle{headings}' \
    '\providecommand{\tightlist}{}' '\begin{document}' '\pagenumbering{roman}'
  body latex paper-glass-mortar.txt paper-night-light.txt
  printf '%s\n' '\end{document}'
} > two-columns.tex
pdflatex -interaction=batchmode two-columns.tex > log && pdflatex -interaction=batchmode two-columns.tex > log

# LaTeX: pages that are shown rotated.
{
  printf '%s\n' '\documentclass[a5paper,11pt]{article}' '\usepackage[margin=15mm]{geometry}' '\pdfpageattr{/Rotate 90}' \
    '\providecommand{\tightlist}{}' '\begin{document}'
  body latex paper-shell-mortar.txt
  printf '%s\n' '\end{document}'
} > rotated.tex
pdflatex -interaction=batchmode rotated.tex > log

# LaTeX, dvips and Ghostscript, narrow: many words are broken at the end of a line.
{
  printf '%s\n' '\documentclass[a5paper,12pt]{article}' '\usepackage[text={70mm,150mm}]{geometry}' '\usepackage[hidelinks]{hyperref}' '\providecommand{\tightlist}{}' \
    '\begin{document}'
  body latex family-history-penhallow.md
  printf '%s\n' '\end{document}'
} > narrow.tex
latex -interaction=batchmode narrow.tex > log && dvips -q narrow.dvi -o narrow.ps && ps2pdf narrow.ps narrow.pdf

# groff: two columns; and by way of PostScript.
{ printf '%s\n' '.nr PS 13' '.nr VS 17' '.2C'; body ms lease-harbour-street.txt lease-mill-lane.txt; } | groff -k -ms -Tpdf > groff-columns.pdf
{ printf '%s\n' '.nr PS 14' '.nr VS 18'; body ms diary-tarn-walk.txt; } | groff -k -ms -Tps > groff.ps
ps2pdf groff.ps ghostscript.pdf

# LibreOffice, from .docx and from .odt.
body docx insurance-petrel-travel.md > libreoffice-docx.docx
body odt recipes-northern-kitchen.md > libreoffice-odt.odt
soffice -env:UserInstallation="file://$work/profile" --headless --convert-to pdf libreoffice-docx.docx libreoffice-odt.odt > log

# Chromium: columns with automatic hyphens, and a page with lists and tables.
page() { # page NAME STYLE DOCUMENT…
  name=$1 style=$2
  shift 2
  { echo "<!doctype html><html lang=en><meta charset=utf-8><title>$name</title><style>$style</style>"; body html "$@"; } > "$name.html"
  chromium --headless --no-sandbox --disable-gpu --user-data-dir="$work/chromium" --no-pdf-header-footer --print-to-pdf="$name.pdf" "file://$work/$name.html" 2> log
}
page chromium-columns '@page{size:A5;margin:15mm}body{columns:2;hyphens:auto;text-align:justify;font:11pt serif}' \
  story-lamplighter-chapter-three.txt
page chromium-lists '@page{size:A5 landscape;margin:15mm}body{font:12pt sans-serif}' syllabus-water-history.md

# Cairo: text drawn line by line, on the second page upwards.
cat > draw.py <<'PYTHON'
import math, sys, textwrap, cairo
width, height = 420, 595
context = cairo.Context(cairo.PDFSurface(sys.argv[2], width, height))
context.select_font_face("DejaVu Serif")
context.set_font_size(10)
lines = [line for text in open(sys.argv[1], encoding="utf-8").read().split("\n") for line in textwrap.wrap(text, 62) or [""]]
for number, first in enumerate(range(0, len(lines), 38)):
    context.save()
    if number == 1:
        context.translate(0, height)
        context.rotate(-math.pi / 2)
    for row, line in enumerate(lines[first : first + (26 if number == 1 else 38)]):
        context.move_to(40, 40 + 14 * row)
        context.show_text(line)
    context.restore()
    context.show_page()
PYTHON
/usr/bin/python3 draw.py "$from/email-van-band.txt" cairo.pdf

for name in two-columns rotated narrow groff-columns ghostscript libreoffice-docx libreoffice-odt chromium-columns chromium-lists cairo; do
  cp "$name.pdf" "$here/"
done
