/** A reader of CSV after RFC 4180, strict: what it does not allow is thrown. */
export function parseCsv(text: string): string[][] {
  const rows: string[][] = []
  let row: string[] = []
  let at = 0
  while (at < text.length) {
    const isQuoted = text[at] === '"'
    const cell = isQuoted ? quotedCell(text, at) : plainCell(text, at)
    row.push(cell.value)
    at = cell.end
    if (text[at] === ',') at++
    else if (text[at] === '\n') {
      rows.push(row)
      row = []
      at++
    } else throw new Error(`no comma and no end of line at ${at}`)
  }
  if (row.length > 0) throw new Error('the last line has no end')
  return rows
}

function plainCell(text: string, start: number): { value: string; end: number } {
  let end = start
  while (end < text.length && text[end] !== ',' && text[end] !== '\n') {
    if (text[end] === '"' || text[end] === '\r') throw new Error(`unquoted at ${end}`)
    end++
  }
  return { value: text.slice(start, end), end }
}

function quotedCell(text: string, start: number): { value: string; end: number } {
  let value = ''
  for (let at = start + 1; at < text.length; at++) {
    if (text[at] !== '"') value += text[at]
    else if (text[at + 1] === '"') value += text[at++]
    else return { value, end: at + 1 }
  }
  throw new Error(`quoted from ${start} on without an end`)
}
