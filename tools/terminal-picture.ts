/**
 * Pictures of a command at a terminal: it runs on a pseudo-terminal that util-linux' `script`
 * makes, xterm.js reads what it writes, and a browser draws the cells.
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { setTimeout } from 'node:timers/promises'
import xterm from '@xterm/headless'
import type { Browser } from 'playwright-core'

type Cell = NonNullable<ReturnType<xterm.IBufferLine['getCell']>>

export interface TerminalScreen {
  /** Line of sh. */
  readonly line: string
  /** Keys that are pressed, each after a pause. */
  readonly keys?: readonly string[]
  /** Time until the picture is taken, or the first key pressed, ms. */
  readonly afterMs?: number
}

export interface TerminalSize {
  readonly columns: number
  readonly rows: number
}

const AFTER_MS = 5000
const KEY_MS = 1000
/** Size of a cell, CSS pixels. */
const CELL = { width: 8, height: 17 } as const
const FONT = '"DejaVu Sans Mono", "Liberation Mono", monospace'
const PAPER = '#121416'
const INK = '#e9ebec'
/** The 16 colours as xterm has them; the rest of the 256 are counted. */
const BASIC = [
  ...['#000000', '#cd3131', '#0dbc79', '#e5e510', '#2472c8', '#bc3fbc', '#11a8cd', '#e5e5e5'],
  ...['#767676', '#f14c4c', '#23d18b', '#f5f543', '#3b8eea', '#d670d6', '#29b8db', '#ffffff'],
]
const CUBE = [0, 95, 135, 175, 215, 255]

/** Runs a command at a terminal of a size, ends it with `q`, and writes what its screen was. */
export async function takeTerminal(
  browser: Browser,
  { line, keys = [], afterMs = AFTER_MS }: TerminalScreen,
  size: TerminalSize,
  path: string,
): Promise<void> {
  const { columns, rows } = size
  const terminal = new xterm.Terminal({ cols: columns, rows, allowProposedApi: true })
  const sized = `stty cols ${columns} rows ${rows}; ${line}`
  const child = spawn('script', ['-qfec', sized, '/dev/null'], {
    stdio: ['pipe', 'pipe', 'inherit'],
    env: { ...process.env, TERM: 'xterm-256color', SHELL: '/bin/sh' },
  })
  child.stdout.on('data', (chunk: Buffer) => terminal.write(chunk))
  try {
    await setTimeout(afterMs)
    for (const key of keys) {
      child.stdin.write(key)
      await setTimeout(KEY_MS)
    }
    await new Promise<void>((resolve) => terminal.write('', resolve))
    await draw(browser, terminal, size, path)
  } finally {
    const closed = once(child, 'close')
    child.stdin.write('q')
    const isClosed = await Promise.race([closed.then(() => true), setTimeout(KEY_MS * 2)])
    if (isClosed !== true) child.kill('SIGKILL')
    terminal.dispose()
  }
}

async function draw(
  browser: Browser,
  terminal: xterm.Terminal,
  { columns, rows }: TerminalSize,
  path: string,
): Promise<void> {
  const width = (columns + 2) * CELL.width
  const height = (rows + 1) * CELL.height
  const page = await browser.newPage({ viewport: { width, height }, deviceScaleFactor: 2 })
  const { active } = terminal.buffer
  const cells: string[] = []
  for (let y = 0; y < rows; y += 1) {
    const line = active.getLine(active.viewportY + y)
    for (let x = 0; x < columns; x += 1) {
      const cell = line?.getCell(x)
      if (cell !== undefined) cells.push(cellHtml(cell, x + 1, y + 0.5))
    }
  }
  const style = `body{margin:0;background:${PAPER};font:13px/${CELL.height}px ${FONT}}
    i{position:absolute;width:${CELL.width}px;height:${CELL.height}px;font-style:normal;
    white-space:pre}`
  await page.setContent(`<style>${style}</style>${cells.join('')}`)
  await page.screenshot({ path })
  await page.close()
}

function cellHtml(cell: Cell, x: number, y: number): string {
  const isInverse = cell.isInverse() !== 0
  const ink = colourOf(cell.isFgDefault(), cell.isFgRGB(), cell.getFgColor()) ?? INK
  const paper = colourOf(cell.isBgDefault(), cell.isBgRGB(), cell.getBgColor()) ?? PAPER
  const chars = cell.getChars()
  if ((chars === '' || chars === ' ') && paper === PAPER && !isInverse) return ''
  const text = chars.replace(/[&<>]/g, (char) => `&#${char.charCodeAt(0)};`)
  const css = [
    `left:${x * CELL.width}px;top:${y * CELL.height}px`,
    `color:${isInverse ? paper : ink};background:${isInverse ? ink : paper}`,
    cell.isBold() === 0 ? '' : 'font-weight:bold',
    cell.isDim() === 0 ? '' : 'opacity:.6',
    cell.isUnderline() === 0 ? '' : 'text-decoration:underline',
  ]
  return `<i style="${css.filter(Boolean).join(';')}">${text}</i>`
}

function colourOf(isDefault: boolean, isRgb: boolean, colour: number): string | undefined {
  if (isDefault) return undefined
  if (isRgb) return `#${colour.toString(16).padStart(6, '0')}`
  if (colour < 16) return BASIC[colour]
  if (colour >= 232) {
    const grey = 8 + 10 * (colour - 232)
    return `rgb(${grey},${grey},${grey})`
  }
  const at = colour - 16
  const [red, green, blue] = [Math.trunc(at / 36), Math.trunc(at / 6) % 6, at % 6]
  return `rgb(${CUBE[red]},${CUBE[green]},${CUBE[blue]})`
}
