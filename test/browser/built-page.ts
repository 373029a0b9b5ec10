/** The page for all browser tests of one run, built before the first of their files. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { buildPage, PAGE_FOLDER, skip } from './browser.ts'

/** Builds the page and tells the files' processes where it is. */
export async function globalSetup(): Promise<void> {
  if (skip !== false) return
  const folder = mkdtempSync(join(tmpdir(), 'pentameter-page-'))
  await buildPage(folder)
  process.env[PAGE_FOLDER] = folder
}

export function globalTeardown(): void {
  const folder = process.env[PAGE_FOLDER]
  if (folder !== undefined) rmSync(folder, { recursive: true })
}
