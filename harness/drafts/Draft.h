#pragma once

#include "harness/drafts/Ablation.h"
#include "harness/worker/Symptom.h"
#include "program/language/Case.h"

#include <string>
#include <vector>

// What a maintainer of PyTorch asks of a report that a fuzzer made, as a text that a person reads, corrects and sends, or not.

namespace touchstone::drafts {

/// A Case that fails under a backend of the installed PyTorch, and what was found out about it.
struct Drafted {
  language::Case theCase;
  std::string backend; // as torch.compile knows it
  worker::Symptom symptom;
  std::string testFile; // name of the file with `test_fn`
  std::string testText; // its text
  Ablation ablation;
};

/// Whether what a run came to is what was found: a refusal, a process that dies, one that does not end, or a difference.
bool shows(const Drafted& drafted, const PlainRun& run);
/// What PyTorch's triage would have the report labelled, by which backends and settings show it: `module: dynamo` where Dynamo alone does,
/// `module: pt2-dispatcher` from AOTAutograd on, `module: inductor`; `module: dynamic shapes` where `dynamic=False` mends what is compiled for symbols.
std::vector<std::string> proposedLabels(const Drafted& drafted);
/// `high: silently wrong`, or why not.
std::string proposedPriority(const Drafted& drafted);
/// What PyTorch's form asks of fuzzers and does not hold here, a line each; empty: nothing.
std::vector<std::string> reservations(const Drafted& drafted);

/// The draft, in Markdown, with the headings of PyTorch's form for torch.compile.
std::string draftText(const Drafted& drafted);

} // namespace touchstone::drafts
