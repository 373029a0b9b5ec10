/** Every planted fault. */
import { DOCUMENT_FAULTS } from './document-faults.ts'
import { EXPORT_FAULTS } from './export-faults.ts'
import type { Fault } from './fault.ts'
import { IMPORT_FAULTS } from './import-faults.ts'
import { NAME_FAULTS } from './name-faults.ts'
import { SHAPE_FAULTS } from './shape-faults.ts'
import { WORD_FAULTS } from './word-faults.ts'

export const FAULTS: readonly Fault[] = [
  ...IMPORT_FAULTS,
  ...EXPORT_FAULTS,
  ...SHAPE_FAULTS,
  ...NAME_FAULTS,
  ...WORD_FAULTS,
  ...DOCUMENT_FAULTS,
]
