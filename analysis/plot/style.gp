# How all figures look. Colours are Okabe and Ito's, told apart by whoever sees colours differently;
# dashes and points tell results apart in black and white. Wide enough for a page, legible at the
# width of a column.
if (!exists("height")) { height = 420 }
if (format eq "png") {
    set terminal pngcairo size 1440,2 * height font "Sans,24" linewidth 2 noenhanced background "white"
} else { if (format eq "pdf") {
    set terminal pdfcairo size 7.2,0.01 * height font "Sans,12" linewidth 1 noenhanced
} else {
    set terminal svg size 720,height dynamic font "Helvetica,Arial,sans-serif,14" noenhanced \
        background "white"
} }
set output output_file
set encoding utf8

array palette[8] = ["#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000", \
    "#8A8A00"]
set dashtype 2 (12,5)
set dashtype 3 (3,4)
set dashtype 4 (12,4,3,4)
set dashtype 5 (22,5)
set dashtype 6 (7,4)
set dashtype 7 (3,2,3,6)
set dashtype 8 (22,4,3,4,3,4)
colour_of(n) = palette[(colour[n] - 1) % 8 + 1]
# of its place in the figure, so that no two lines look alike without colours
dash_of(n) = n

set border 3 linecolor rgb "#606060" linewidth 0.8
set tics nomirror textcolor rgb "#202020"
set grid linetype 1 linewidth 0.5 linecolor rgb "#D8D8D8" dashtype 1
# fonts of other sizes grow with the picture
sized(size) = sprintf(",%d", size * (format eq "png" ? 24. / 14 : format eq "pdf" ? 12. / 14 : 1))
set title font sized(15) offset 0,-0.3
set key outside top center horizontal Left reverse noautotitle samplen 3.5
