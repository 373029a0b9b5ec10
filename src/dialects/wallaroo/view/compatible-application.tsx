/** An application in the numbers of the original Metrics UI (wallaroo.md §8): its dashboard. */
import type { JSX } from 'preact'
import type { CompatibleApplicationAnswer } from '../../../http/api.ts'
import { useAnswer } from '../../../web/store/polling.ts'
import { CompatibleNotice, CompatibleRows } from './compatible-rows.tsx'
import { Exports } from './exports.tsx'
import { applicationAddress } from './requests.ts'
import { unknownWords } from './words.ts'

export function CompatibleApplication({
  application,
  isHeld,
}: {
  application: string
  isHeld: boolean
}): JSX.Element {
  const address = `${applicationAddress(application)}&mode=compatible`
  const { answer, refusal } = useAnswer<CompatibleApplicationAnswer>(address, isHeld)
  if (answer === undefined) return <p class="soft">{refusal ? unknownWords(refusal) : '–'}</p>
  const { pipelines, workers, computations, others } = answer
  const of = { application }
  return (
    <>
      <CompatibleNotice />
      <CompatibleRows {...of} title="Pipeline Stats" label="pipeline" rows={pipelines} />
      <CompatibleRows {...of} title="Worker Stats" label="worker" rows={workers} />
      <CompatibleRows {...of} title="Computation Stats" label="name" rows={computations} />
      <CompatibleRows {...of} title="Other Stats" label="name" rows={others} />
      <Exports json={address} name={`${application}-compatible`} tables={[]} />
    </>
  )
}
