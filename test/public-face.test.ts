/** The public face of every dialect has one shape: who knows one knows the others. */
import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { DIALECTS } from './support/dialects.ts'

type Class = { readonly name: string; readonly prototype: object }

/** Members that every client, and every server, of a program has. */
const MEMBERS = {
  Client: ['start', 'close', 'isConnected'],
  Server: ['start', 'close', 'port', 'connections'],
}

for (const { name } of DIALECTS) {
  suite(name, async () => {
    const entry: Readonly<Record<string, unknown>> = await import(
      new URL(`../src/dialects/${name}/index.ts`, import.meta.url).href
    )
    const exported = Object.entries(entry).filter(([, value]) => typeof value === 'function')
    for (const [kind, members] of Object.entries(MEMBERS)) {
      const classes = exported.filter(([each]) => each.endsWith(kind)) as [string, Class][]
      for (const [title, { prototype }] of classes) {
        test(`${title} has ${members.join(', ')}`, () => {
          const own = Object.getOwnPropertyNames(prototype)
          assert.deepEqual(
            members.filter((member) => !own.includes(member)),
            [],
          )
        })
      }
    }
  })
}
