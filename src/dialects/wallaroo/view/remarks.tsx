/** What a reader must know before the numbers: gaps in what is kept, clocks, who is away. */
import type { JSX } from 'preact'
import { shownName } from '../../../viewer/format/name.ts'
import type { Completeness, WorkerJson } from '../http/api.ts'
import { clockShortWords, completeWords, listWords } from './words.ts'

interface RemarksProps {
  readonly answer: Completeness & { readonly nowMs: number }
  readonly workers: readonly WorkerJson[]
}

export function Remarks({ answer, workers }: RemarksProps): JSX.Element | null {
  const away = workers.filter(({ isConnected }) => isConnected === false)
  const silent = workers.filter(({ isConnected }) => isConnected === null)
  const off = workers.filter(({ isClockOff }) => isClockOff)
  const remarks: string[] = []
  const missing = completeWords(answer, answer.nowMs)
  if (missing !== '') remarks.push(missing)
  if (off.length > 0) {
    const whose = listWords(off.map((each) => `${shownName(each.worker)} ${clockShortWords(each)}`))
    remarks.push(`Clocks disagree: ${whose}. Their charts are shifted by it.`)
  }
  if (away.length > 0) {
    const who = listWords(away.map(({ worker }) => shownName(worker)))
    remarks.push(`Disconnected: ${who}. What was sent before stays until its retention ends.`)
  }
  if (silent.length > 0) {
    const who = listWords(silent.map(({ worker }) => shownName(worker)))
    remarks.push(`Not heard of, behind a relay that doesn't say who leaves: ${who}.`)
  }
  if (remarks.length === 0) return null
  return (
    <ul class="remarks small">
      {remarks.map((words) => (
        <li key={words} class="warn">
          <span class="dot unusual" aria-hidden="true" />
          <span>{words}</span>
        </li>
      ))}
    </ul>
  )
}
