/**
 * Code blocks of Markdown, with the words behind the language that say what a test does with them
 * (CONTRIBUTING.md, "Code in documents"): ```` ```sh run ````, ```` ```ts run ````,
 * ```` ```text output ````, ```` ```sh setup ````.
 */
export interface CodeBlock {
  /** Line of the opening fence, from 1. */
  readonly line: number
  readonly language: string
  readonly words: readonly string[]
  /** Without the fences, each line ended by LF. */
  readonly code: string
}

const FENCE = /^(\s*)(`{3,}|~{3,})\s*(.*?)\s*$/

export function codeBlocks(markdown: string): CodeBlock[] {
  const blocks: CodeBlock[] = []
  const lines = markdown.split('\n')
  for (let i = 0; i < lines.length; i++) {
    const open = FENCE.exec(lines[i]!)
    if (open === null) continue
    const [, indent = '', fence = '', info = ''] = open
    const end = lines.findIndex((line, at) => at > i && isClosing(line, fence))
    const last = end === -1 ? lines.length : end
    const content = lines.slice(i + 1, last).map((line) => `${unindent(line, indent)}\n`)
    const [language = '', ...words] = info.split(/\s+/)
    blocks.push({ line: i + 1, language, words, code: content.join('') })
    i = last
  }
  return blocks
}

function isClosing(line: string, fence: string): boolean {
  const text = line.trim()
  return text.startsWith(fence) && [...text].every((each) => each === fence[0])
}

function unindent(line: string, indent: string): string {
  return line.startsWith(indent) ? line.slice(indent.length) : line.trimStart()
}

/** Whether an output is as printed; `…` stands for any text in a line, alone for any lines. */
export function matchesOutput(actual: string, printed: string): boolean {
  const lines = printed.trimEnd().split('\n')
  const pattern = lines.map((line) => (line.trim() === '…' ? '[\\s\\S]*?' : lineSource(line)))
  return new RegExp(`^${pattern.join('\\n')}$`, 'u').test(actual.trimEnd())
}

function lineSource(line: string): string {
  return line
    .trimEnd()
    .split('…')
    .map((text) => text.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&'))
    .join('[^\\n]*')
}
