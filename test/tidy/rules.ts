/** Every rule of the project's shape. */
import * as documents from './document-rules.ts'
import * as exported from './export-rules.ts'
import * as imports from './import-rules.ts'
import * as names from './name-rules.ts'
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
  exported.usedExports,
  shapes.fileLength,
  shapes.columns,
  shapes.folderSize,
  shapes.drawers,
  shapes.fileNames,
  shapes.headers,
  shapes.dialectFiles,
  names.dialectNames,
  names.oldNames,
  names.declaredOnce,
  words.focusedTests,
  words.prints,
  words.errorCodes,
  words.persons,
  words.commentBeginnings,
  documents.links,
  documents.citations,
  documents.decisions,
  documents.manifest,
  documents.compilerOptions,
  documents.lockFile,
  documents.completeLock,
]
