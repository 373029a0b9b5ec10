/**
 * The plan of docs/scale.md: its Compose and Kubernetes texts can be read, the commands in them
 * start a hub, what they probe answers, and the state goes where their volumes are.
 */
import assert from 'node:assert/strict'
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { request } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { suite, test } from 'node:test'
import { parseAllDocuments } from 'yaml'
import { codeBlocks } from './docs/blocks.ts'
import { startHubProcess } from './support/hub/hub-process.ts'

const TEXT = readFileSync(new URL('../docs/scale.md', import.meta.url), 'utf8')
const PROGRAM = ['npx', 'pentameter']

interface Service {
  readonly image: string
  readonly command: string | string[]
  readonly environment?: Record<string, string>
  readonly volumes?: string[]
  readonly ports?: string[]
}
interface Probe {
  readonly httpGet: {
    readonly path: string
    readonly port: string
    readonly httpHeaders: readonly { readonly name: string; readonly value: string }[]
  }
}
interface Container {
  readonly command: string[]
  readonly args: string[]
  readonly env: readonly { readonly name: string; readonly value?: string }[]
  readonly ports: readonly { readonly name: string; readonly containerPort: number }[]
  readonly readinessProbe: Probe
  readonly livenessProbe: Probe
  readonly volumeMounts: readonly { readonly name: string; readonly mountPath: string }[]
}
interface StatefulSet {
  readonly metadata: { readonly name: string }
  readonly spec: {
    readonly selector: { readonly matchLabels: Record<string, string> }
    readonly serviceName: string
    readonly template: {
      readonly metadata: { readonly labels: Record<string, string> }
      readonly spec: { readonly containers: readonly [Container] }
    }
    readonly volumeClaimTemplates: readonly { readonly metadata: { readonly name: string } }[]
  }
}
interface KubernetesService {
  readonly metadata: { readonly name: string }
  readonly spec: {
    readonly clusterIP?: string
    readonly selector: Record<string, string>
    readonly ports: readonly { readonly port: number; readonly name: string }[]
  }
}

/** Reads the documents of a block of YAML; every error and warning counts. */
function read(code: string): unknown[] {
  const found = parseAllDocuments(code, { merge: true })
  assert.ok(Array.isArray(found))
  return found.map((document) => {
    assert.deepEqual([...document.errors, ...document.warnings], [])
    return document.toJS() as unknown
  })
}

const [compose, kubernetes] = codeBlocks(TEXT).filter(({ language }) => language === 'yaml')
const [{ services, volumes }] = read(compose!.code) as [
  { services: Record<string, Service>; volumes: object },
]
const [set, service, pods] = read(kubernetes!.code) as [
  StatefulSet,
  KubernetesService,
  KubernetesService,
]
const [container] = set.spec.template.spec.containers

/** Lists the words of a command as a shell would. */
function wordsOf(command: string | readonly string[]): string[] {
  if (typeof command !== 'string') return [...command]
  return [...command.matchAll(/'([^']*)'|(\S+)/g)].map(([, quoted, plain]) => quoted ?? plain!)
}

/** Starts what a text says, on loopback, with its state in a folder of its own. */
async function started(
  t: { after(end: () => unknown): void },
  command: readonly string[],
): Promise<{ port: number; state: string }> {
  assert.deepEqual(command.slice(0, 2), PROGRAM)
  const state = mkdtempSync(join(tmpdir(), 'pentameter-plan-'))
  const former = process.env.XDG_STATE_HOME
  process.env.XDG_STATE_HOME = state
  try {
    const words = command.slice(2).map((word) => (word === '0.0.0.0' ? '127.0.0.1' : word))
    const hub = await startHubProcess(...words)
    t.after(async () => {
      await hub.stop()
      rmSync(state, { recursive: true, force: true })
    })
    return { port: hub.listeners.http.port, state }
  } finally {
    if (former === undefined) delete process.env.XDG_STATE_HOME
    else process.env.XDG_STATE_HOME = former
  }
}

function statusOf(port: number, { path, httpHeaders }: Probe['httpGet']): Promise<number> {
  const headers = Object.fromEntries(httpHeaders.map(({ name, value }) => [name, value]))
  return new Promise((resolve, reject) => {
    request({ port, path, headers }, (answer) => resolve(answer.resume().statusCode!))
      .on('error', reject)
      .end()
  })
}

suite('the Compose text', () => {
  const hubs = Object.entries(services).filter(([name]) => name.startsWith('hub'))

  test('has two hubs with ports, volumes and names of their own', () => {
    assert.equal(hubs.length, 2)
    const used = Object.values(services).flatMap((each) => each.volumes ?? [])
    assert.deepEqual(
      used.map((volume) => volume.split(':')[0]),
      Object.keys(volumes),
    )
    const ports = hubs.flatMap(([, { ports: own }]) => own!.map((port) => port.split(':')[0]))
    assert.equal(new Set(ports).size, 4)
    for (const [name, { command, environment, volumes: own }] of hubs) {
      assert.ok(String(command).includes(`hub=${name}'`), String(command))
      assert.equal(own![0], `${name}:${environment!.XDG_STATE_HOME}`)
    }
  })

  test('starts a hub whose queue is in its volume', async (t) => {
    const { state } = await started(t, wordsOf(hubs[0]![1].command))
    assert.ok(existsSync(join(state, 'pentameter', 'remotewrite')))
  })
})

suite('the Kubernetes text', () => {
  test('selects its pods, and names ports, volumes and service as they are', () => {
    const labels = JSON.stringify(set.spec.template.metadata.labels)
    assert.equal(JSON.stringify(set.spec.selector.matchLabels), labels)
    assert.equal(JSON.stringify(service.spec.selector), labels)
    // only a service without an address gives each pod a name, by which hubs are attached to
    assert.equal(pods.spec.clusterIP, 'None')
    assert.equal(pods.metadata.name, set.spec.serviceName)
    assert.equal(JSON.stringify(pods.spec.selector), labels)
    const attached = /pentameter:\/\/([\w.-]+)/.exec(TEXT)?.[1]
    assert.equal(attached, `${set.metadata.name}-0.${pods.metadata.name}`)
    const [mount] = container.volumeMounts
    assert.equal(mount?.name, set.spec.volumeClaimTemplates[0]?.metadata.name)
    const home = container.env.find(({ name }) => name === 'XDG_STATE_HOME')
    assert.equal(home?.value, mount?.mountPath)
    assert.deepEqual(
      service.spec.ports.map(({ name, port }) => [name, port]),
      container.ports.map(({ name, containerPort }) => [name, containerPort]),
    )
    for (const { httpGet } of [container.readinessProbe, container.livenessProbe]) {
      assert.ok(container.ports.some(({ name }) => name === httpGet.port))
    }
  })

  test('starts a hub that its probes find ready, with its queue in the volume', async (t) => {
    const words = [...container.command, ...container.args].map((word) => {
      return word.replace('$(POD)', 'pentameter-0')
    })
    const { port, state } = await started(t, words)
    for (const { httpGet } of [container.readinessProbe, container.livenessProbe]) {
      assert.equal(await statusOf(port, httpGet), 200, httpGet.path)
    }
    assert.equal(await statusOf(port, { path: '/nothing', port: '', httpHeaders: [] }), 404)
    assert.ok(existsSync(join(state, 'pentameter', 'remotewrite')))
  })
})
