/** Faults of imports, circles, packages and purity. */
import * as imports from '../import-rules.ts'
import type { Fault } from './fault.ts'

const DEPENDENCIES = '{"devDependencies":{"zod":"1","uplot":"1"}}'

export const IMPORT_FAULTS: readonly Fault[] = [
  {
    rule: imports.importTable,
    fault: 'model imports wire, on the second line',
    files: { 'src/model/a.ts': "import { b } from './b.ts'\nimport { c } from '../wire/c.ts'\n" },
    at: ['src/model/a.ts:2'],
  },
  {
    rule: imports.importTable,
    fault: 'a re-export, a type, a dynamic import and a worker entry count as imports',
    files: {
      'src/shm/a.ts': "export * from '../hub/x.ts'\n",
      'src/shm/b.ts': "import type {\n  X,\n} from '../hub/x.ts'\n",
      'src/shm/c.ts': "\nconst x = await import('../hub/x.ts')\n",
      'src/shm/d.ts': "const x = new URL('../hub/worker.ts', import.meta.url)\n",
    },
    at: ['src/shm/a.ts:1', 'src/shm/b.ts:1', 'src/shm/c.ts:2', 'src/shm/d.ts:1'],
  },
  {
    rule: imports.importTable,
    fault: 'the page takes code, not types, from the API; or more of http than the API',
    files: {
      'src/web/a.ts': "import { parse } from '../http/api.ts'\n",
      'src/web/b.ts': "import type { Route } from '../http/route.ts'\n",
    },
    at: ['src/web/a.ts:1', 'src/web/b.ts:1'],
  },
  {
    rule: imports.importTable,
    fault: 'a folder that the table does not know, and code that reaches into test',
    files: {
      'src/extra/a.ts': "import { x } from '../model/x.ts'\n",
      'src/hub/a.ts': "import { x } from '../../test/support/x.ts'\n",
    },
    at: ['src/extra/a.ts:1', 'src/hub/a.ts:1'],
  },
  {
    rule: imports.importTable,
    fault: 'instruments that take another dialect than the one they speak',
    files: {
      'src/instrument/a.ts': "import { x } from '../dialects/eventcounters/x.ts'\n",
      'src/instrument/b.ts': "import { x } from '../dialects/scope/x.ts'\n",
      'src/instrument/c.ts': "import { x } from '../time/system-clock.ts'\n",
      'src/instrument/d.ts': "import { x } from '../dialects/index.ts'\n",
    },
    at: ['src/instrument/b.ts:1', 'src/instrument/d.ts:1'],
  },
  {
    rule: imports.importTable,
    fault: 'code that takes what stands in the test room of a dialect',
    files: {
      'src/dialects/x/codec.ts': "import { samples } from './test/samples.ts'\n",
      'src/hub/a.ts': "\nimport { samples } from '../dialects/x/test/samples.ts'\n",
    },
    at: ['src/dialects/x/codec.ts:1', 'src/hub/a.ts:2'],
  },
  {
    rule: imports.importTable,
    fault: 'nothing, where all imports are in the table',
    files: {
      'src/web/a.ts': "import type { Api } from '../http/api.ts'\nimport './a.css'\n",
      'src/terminal/a.ts': "import { type A, type B } from '../http/api.ts'\n",
      'src/hub/a.test.ts': "import { x } from '../../test/support/x.ts'\n",
      'src/hub/b.test.ts': "import { x } from '../dialects/x/test/samples.ts'\n",
      'src/dialects/x/test/fuzz.ts': "import { x } from '../../../../test/fuzz/x.ts'\n",
      'src/cli/a.ts': "import { x } from '../hub/x.ts'\nimport p from '../../package.json'\n",
      'src/shm/a.ts': "import { VERSION } from '../version.ts'\n",
      'test/a.ts': "import { x } from '../src/hub/x.ts'\n",
    },
    at: [],
  },
  {
    rule: imports.acyclicFolders,
    fault: 'two folders that import each other through different files',
    files: {
      'src/hub/a.ts': "import { x } from '../http/x.ts'\n",
      'src/http/b.ts': "\nimport { y } from '../hub/y.ts'\n",
    },
    at: ['src/http/b.ts:2'],
  },
  {
    rule: imports.acyclicFolders,
    fault: 'the rooms of dialects count: the hub takes one by name, whose side in the hub needs it',
    files: {
      'src/hub/a.ts': "import { x } from '../dialects/x/hub/x.ts'\n",
      'src/dialects/x/hub/x.ts': "import { y } from '../../../hub/y.ts'\n",
    },
    at: ['src/dialects/x/hub/x.ts:1'],
  },
  {
    rule: imports.acyclicFolders,
    fault: 'nothing, where folders form a diamond',
    files: {
      'src/hub/a.ts': "import { x } from '../shm/x.ts'\nimport { y } from '../model/y.ts'\n",
      'src/shm/x.ts': "import { y } from '../model/y.ts'\n",
    },
    at: [],
  },
  {
    rule: imports.acyclicFiles,
    fault: 'three files in a circle, one circle reported',
    files: {
      'src/hub/a.ts': "import { b } from './b.ts'\n",
      'src/hub/b.ts': "import { c } from './c.ts'\n",
      'src/hub/c.ts': "\n\nimport { a } from './a.ts'\n",
    },
    at: ['src/hub/c.ts:3'],
  },
  {
    rule: imports.acyclicFiles,
    fault: 'two files, of which one takes only a type',
    files: {
      'src/hub/a.ts': "import { b } from './b.ts'\n",
      'src/hub/b.ts': "import type { A } from './a.ts'\n",
    },
    at: ['src/hub/b.ts:1'],
  },
  {
    rule: imports.acyclicFiles,
    fault: 'nothing, where both take the type from a third file',
    files: {
      'src/hub/a.ts': "import { b } from './b.ts'\nimport type { A } from './c.ts'\n",
      'src/hub/b.ts': "import type { A } from './c.ts'\n",
      'src/hub/c.ts': 'export interface A {}\n',
    },
    at: [],
  },
  {
    rule: imports.dialectIsolation,
    fault: 'a dialect that imports another one, and one that imports the registry',
    files: {
      'src/dialects/scope/map.ts': "import { x } from '../statsd/spec.ts'\n",
      'src/dialects/statsd/map.ts': "import { DIALECTS } from '../index.ts'\n",
    },
    at: ['src/dialects/scope/map.ts:1', 'src/dialects/statsd/map.ts:1'],
  },
  {
    rule: imports.dialectIsolation,
    fault: 'nothing, where a dialect imports itself and the contract',
    files: {
      'src/dialects/scope/map.ts': "import { x } from './spec.ts'\nimport '../dialect.ts'\n",
      'src/dialects/index.ts': "import { scope } from './scope/index.ts'\n",
    },
    at: [],
  },
  {
    rule: imports.packages,
    fault: 'a package in a library folder, an unlisted one, and a bundled one outside the page',
    files: {
      'package.json': DEPENDENCIES,
      'src/model/a.ts': "import { z } from 'zod'\n",
      'src/hub/b.ts': "import { x } from '@scope/name/deep'\n",
      'src/hub/c.ts': "import uplot from 'uplot'\n",
    },
    at: ['src/model/a.ts:1', 'src/hub/b.ts:1', 'src/hub/c.ts:1'],
  },
  {
    rule: imports.packages,
    fault: 'a package that users would install, although the build bundles it',
    files: {
      'package.json': '{\n"dependencies":{"zod":"1"},"devDependencies":{"zod":"1"}}',
      'src/hub/a.ts': "import { z } from 'zod'\n",
    },
    at: ['package.json:2'],
  },
  {
    rule: imports.packages,
    fault: 'nothing, where packages are listed, bundled or only tested with',
    files: {
      'package.json': DEPENDENCIES,
      'src/hub/a.ts': "import { z } from 'zod'\nimport fs from 'node:fs'\n",
      'src/web/b.ts': "import uplot from 'uplot'\n",
      'src/model/c.test.ts': "import fc from 'fast-check'\n",
    },
    at: [],
  },
  {
    rule: imports.purity,
    fault: 'Node modules in a codec and its room, and one reached from a map through another file',
    files: {
      'src/dialects/x/codec.ts': "import crypto from 'node:crypto'\n",
      'src/dialects/x/codec/body.ts': "import zlib from 'node:zlib'\n",
      'src/dialects/x/map.ts': "import { y } from './parts/y.ts'\n",
      'src/dialects/x/parts/y.ts': "\nimport fs from 'node:fs'\n",
    },
    at: [
      'src/dialects/x/codec.ts:1',
      'src/dialects/x/codec/body.ts:1',
      'src/dialects/x/parts/y.ts:2',
    ],
  },
  {
    rule: imports.purity,
    fault: 'nothing, where a server imports Node and the codec no more of it than zlib',
    files: {
      'src/dialects/x/codec.ts': "import zlib from 'node:zlib'\nimport { y } from './y.ts'\n",
      'src/dialects/x/y.ts': 'export const y = 1\n',
      'src/dialects/x/server.ts': "import net from 'node:net'\nimport './codec.ts'\n",
      'src/model/a.test.ts': "import test from 'node:test'\n",
    },
    at: [],
  },
]
