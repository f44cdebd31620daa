"""The lines of PTX and SASS and what they were made of: of inlined code its callers, too."""

from __future__ import annotations

from croqc.service.machine_lines import ptx_lines, sass_lines

PTX = """.visible .entry k(
\t.param .u64 k_param_0
)
{
\t.reg .b32 \t%r<9>;
\t.loc\t1 10 3
\tld.param.u64 %rd1, [k_param_0];
\t// begin inline asm
$L__BB0_2:
\t.loc\t1 20 5
\t.loc\t1 4 3, function_name $L__info_string0, inlined_at 1 20 5
\t.loc\t1 2 3, function_name $L__info_string1, inlined_at 1 4 3
\tadd.s32 %r1, %r2, %r3;
\tret;

}
\tmov.u32 %r1, 0;
"""
SASS = """\t.section\t.text.k
k:
        /*0000*/                   LDC R1, c[0x0][0x28] ;
\t//## File "/a b/kernel.cu", line 2 inlined at "/a b/kernel.cu", line 4
\t//## File "/a b/kernel.cu", line 4 inlined at "/a b/kernel.cu", line 20
\t//## File "/a b/kernel.cu", line 20
        /*0010*/                   NOP ;
.L_x_1:
        /*0020*/                   NOP ;
\t//## File "/a b/kernel.cu", line 4
        /*0030*/                   EXIT ;
"""


def test_ptx_names_the_innermost_line_and_its_callers() -> None:
    made = ptx_lines(PTX)
    assert made.text == PTX
    assert made.lines == ((6, (9,)), (12, (1, 3, 19)), (13, (1, 3, 19)))


def test_sass_loses_the_comments_that_name_lines() -> None:
    made = sass_lines(SASS)
    assert made.text == "".join(line for line in SASS.splitlines(keepends=True) if "//##" not in line)
    assert made.lines == ((3, (1, 3, 19)), (5, (1, 3, 19)), (6, (3,)))


def test_a_circle_of_calls_ends() -> None:
    circle = PTX.replace("inlined_at 1 20 5", "inlined_at 1 2 3")
    assert dict(ptx_lines(circle).lines)[12] == (1, 3)
