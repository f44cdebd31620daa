" Croqtile (.co): C++ around `__co__` functions. The word lists are checked against the compiler's table.
if exists("b:current_syntax")
  finish
endif

" Host text is C++.
runtime! syntax/cpp.vim
unlet! b:current_syntax

syn case match
syn keyword croqRegion __device__ __co_device__ __cok__

" A function: header up to the brace, then nested blocks.
syn region croqFunction start="\<__co__\_s\@=" end="{"me=e-1 nextgroup=croqBlock keepend contains=croqMarker,croqName,croqStorage,croqType,croqNumber,croqComment,croqMember
syn match croqMarker contained "\<__co__\>"
syn match croqName contained "\<\h\w*\ze\s*("
syn region croqBlock contained start="{" end="}" contains=@croqCode

syn cluster croqCode contains=croqBlock,croqIsland,croqControl,croqLevel,croqStorage,croqType,croqOperation,croqDotted,croqMember,croqBuiltin,croqConstant,croqContextual,croqNumber,croqString,croqComment,croqDirective,croqCall,croqArrow
" C's parentheses take everything that they do not exclude.
syn cluster cParenGroup add=@croqCode,croqMarker,croqName,croqEscape,croqDirectiveComment
syn cluster cPreProcGroup add=@croqCode,croqMarker,croqName,croqEscape,croqDirectiveComment
syn cluster cMultiGroup add=@croqCode,croqMarker,croqName,croqEscape,croqDirectiveComment

syn keyword croqIsland contained __asm__ __cpp__ asm goto volatile
syn keyword croqControl contained after break by call continue else foreach if in inthreads parallel return rotate select
syn keyword croqControl contained swap sync trigger wait where while with yield
syn keyword croqStorage contained frag global local mutable shared
syn keyword croqType contained auto bf16 bfp16 bin1 bool double event f16 f32 f4_e2m1 f64 f6_e2m3 f6_e3m2 f8 f8_e4m3
syn keyword croqType contained f8_e5m2 f8_ue4m3 f8_ue8m0 float half int ituple mdspan s16 s2 s32 s4 s6 s64 s8 stream tf32
syn keyword croqType contained u1 u16 u2 u32 u4 u6 u64 u8 void
syn keyword croqOperation contained barrier cooperative dma fence mma tma unroll vectorize
syn keyword croqBuiltin contained __acos __aligndown __alignup __asin __atan __atan2 __atomic_add __atomic_and __atomic_cas
syn keyword croqBuiltin contained __atomic_exch __atomic_max __atomic_min __atomic_or __atomic_sub __atomic_xor __bar_arrive
syn keyword croqBuiltin contained __bar_sync __ceil __cos __cosh __exp __exp2f __expm1 __fabs __floor __fmaf __frcp_rn
syn keyword croqBuiltin contained __gelu __isfinite __log __log1p __max __min __pow __round __rsqrt __sigmoid __sign __sin
syn keyword croqBuiltin contained __sinh __softplus __sqrt __tan __tanh __to all_reduce_sum apply assert cdiv copy print
syn keyword croqBuiltin contained println reduce_max reduce_sum
syn match croqBuiltin contained "\<__lib_\w\+\>"
syn keyword croqConstant contained false inf nullptr true
syn match croqLevel contained ":\s*\zs\%(cluster\|group-4\|device\|thread\|block\|group\|term\)\>"
syn match croqDotted contained "\.\%(evict_first\|copy_async\|evict_last\|reduce_max\|reduce_sum\|multicast\|barrier\|cluster\|promote\|swizzle\|commit\|global\|shared\|transp\|apply\|async\|fence\|loadR\|loadS\|local\|order\|scale\|store\|zfill\|copy\|desc\|exec\|fill\|frag\|load\|mask\|swiz\|sync\|wait\|any\|col\|dec\|inc\|pad\|row\|sp\)\>"
syn match croqMember contained "\.\%(chunkat\|modspan\|span_as\|subspan\|stride\|chunk\|mdata\|remap\|data\|from\|span\|step\|view\|map\|sqz\|at\)\>"
syn match croqContextual contained "\%(=\s*\|\[\[\s*\|schedule(\)\@<=\%(launch_bounds\|schedule\|k_tiles\|maxnreg\|ready\)\>"
syn match croqCall contained "\%(\<call\s\+\)\@<=\h[A-Za-z0-9_:]*"
syn match croqArrow contained "=>"

syn match croqNumber contained "\<\d\+\.\d\+[fF]\=\>"
syn match croqNumber contained "\<\%(0[xX]\x\+\|0\|[1-9]\d*\)[uU]\=[lL]\{0,2}\>"
syn match croqEscape contained +\\[nt"\\]+
syn region croqString contained start=+"+ skip=+\\.+ end=+"+ contains=croqEscape
syn region croqString contained start=+R"\z([^()\\ \t]\{0,16}\)(+ end=+)\z1"+

syn region croqComment start="//" end="$" contains=croqDirectiveComment,@Spell
syn region croqComment start="/\*" end="\*/" contains=@Spell
syn match croqDirectiveComment contained "\%(//\s*\)\@<=croq:\s*\%(dialect\|expect\|allow\|model\|arch\|run\)\>"

syn match croqDirective contained "^\s*#\s*\%(include\|define\|ifndef\|pragma\|endif\|error\|ifdef\|undef\|elif\|else\|line\|if\)\>"

hi def link croqRegion StorageClass
hi def link croqMarker StorageClass
hi def link croqIsland StorageClass
hi def link croqName Function
hi def link croqCall Function
hi def link croqControl Statement
hi def link croqLevel StorageClass
hi def link croqStorage StorageClass
hi def link croqType Type
hi def link croqOperation Keyword
hi def link croqDotted Keyword
hi def link croqMember Function
hi def link croqBuiltin Function
hi def link croqConstant Constant
hi def link croqContextual Keyword
hi def link croqNumber Number
hi def link croqString String
hi def link croqEscape SpecialChar
hi def link croqArrow Operator
hi def link croqComment Comment
hi def link croqDirectiveComment SpecialComment
hi def link croqDirective PreProc

let b:current_syntax = "croqtile"
