/** Every rule of the project's shape. */
import * as documents from './document-rules.ts'
import * as imports from './import-rules.ts'
import * as shapes from './shape-rules.ts'
import type { Rule } from './tree.ts'
import * as words from './word-rules.ts'

export const RULES: readonly Rule[] = [
  imports.importTable,
  imports.acyclicFolders,
  imports.acyclicFiles,
  imports.dialectIsolation,
  imports.packages,
  imports.purity,
  shapes.fileLength,
  shapes.columns,
  shapes.drawers,
  shapes.fileNames,
  shapes.headers,
  shapes.dialectFiles,
  words.focusedTests,
  words.prints,
  documents.links,
  documents.citations,
  documents.decisions,
  documents.manifest,
  documents.lockFile,
  documents.completeLock,
]
