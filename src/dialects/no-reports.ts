/** Reports that go nowhere: servers and clients of an application that watches none. */
import type { Reports } from './dialect.ts'

export const NO_REPORTS: Reports = { decodeError() {}, decodeNote() {}, count() {}, log() {} }
