"""Which of the registered patterns the stored Cases fire, as their headers `# fires:` say, and why the others do not."""

import collections
import re

FIRES = re.compile(r"^# fires: (\S+)$", re.MULTILINE)

CUDA = "need CUDA"
QUANTIZED = "need operators of quantization"
FLOAT16 = "need float16 in the CPU's instructions"
INTERNAL = "need an operator that is internal to PyTorch, which the Case language refuses"
SHADOWED = "are shadowed by an equal pattern before them"
NORMALIZED = "need a form that the normalization before the pass removes"
DEAD = "look for what no graph has"

# Why no Case fires a pattern; the first that fits. Regular expressions over names.
REASONS = (
    (r"pad_mm/|joint_graph/(fix_iota_device|bmm_to_mm)$|post_grad/(unfuse_bias|prepare_softmax)|b2b_gemm/", CUDA),
    (r"fuse_attention/sfdp_pattern_(29|30)_half", CUDA),
    (r"fuse_attention/sfdp_pattern_(3|12)_(half_)?inference|fuse_attention/sfdp_pattern_16_(half_)?bs1", SHADOWED),
    (r"quantization/smooth_quant_int_mm", INTERNAL),
    (r"quantization/(woq|concat_linear)|freezing_patterns/", "no Case yet"),
    (r"quantization/", QUANTIZED),
    (r"mkldnn_fusion/unary_fusion#(1[6-9]|2\d|30)$|mkldnn_fusion/(leaky_relu|hardtanh)_fusion#[456]$", FLOAT16),
    (r"mkldnn_fusion/binary_unary", DEAD),
    (r"mkldnn_fusion/weight_pack_pass.mkldnn_rnn", "need a module of torch.nn that Dynamo refuses"),
    (r"split_cat/(merge_unbind_stack(#3)?|simplify_split_cat(#3)?|remove_split_with_size_one)$", NORMALIZED),
    (r"split_cat/merge_unbind_stack_aten|efficient_conv_bn_eval/efficient_conv_bn_eval_graph_transform$", DEAD),
    (r"reduced_atomic_contention/create_replacement$", DEAD),
)


def recorded(folder):
    """{pattern: [names of files that fire it]}."""
    fired = collections.defaultdict(list)
    for path in sorted(folder.glob("*.py")):
        for name in FIRES.findall(path.read_text()):
            fired[name].append(path.name)
    return fired


def reason(name):
    return next((why for pattern, why in REASONS if re.match(pattern, name)), "no Case yet")


def table(patterns, fired):
    """Lines of Markdown: a row for each file of `torch/_inductor/fx_passes`, then one for all."""
    rows, reasons = collections.defaultdict(list), collections.defaultdict(collections.Counter)
    for name, pattern in patterns.items():
        rows[pattern.group].append(name in fired)
        if name not in fired:
            reasons[pattern.group][reason(name)] += 1
    lines = ["| registered in | patterns | fired | not, because |", "|---|---|---|---|"]
    for group, hits in sorted(rows.items()):
        why = "; ".join(f"{count} {text}" for text, count in reasons[group].most_common())
        lines.append(f"| `{group}.py` | {len(hits)} | {sum(hits)} | {why or '–'} |")
    every = [hit for hits in rows.values() for hit in hits]
    lines.append(f"| all | {len(every)} | {sum(every)} | {len(every) - sum(every)} |")
    return lines


def unknown(patterns, fired):
    """What headers name and this PyTorch does not register."""
    return sorted(set(fired) - set(patterns))
