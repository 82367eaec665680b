import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { request } from 'undici'
import { sandboxHosts } from '#main/process/network-apps.ts'
import { hostsOf } from '#networks/connector/manifest.ts'
import { manifestOf, type Network } from '#networks/manifests.ts'
import { runLive } from '../../live/command.ts'
import { testSandbox } from '../../sandbox/sandbox.fixture.ts'

/** A sandbox in the place of the real networks, and a person who has an app there. */
export async function liveSandbox() {
  let passed = 0
  const clock = { now: () => new Date(Date.now() + passed) }
  const sandbox = await testSandbox({ clock, history: true, limitFactor: 1000 })
  const environmentOf = (network: Network, more: NodeJS.ProcessEnv = {}): NodeJS.ProcessEnv => {
    const manifest = manifestOf(network)
    const { code, sandbox: known } = manifest
    const prefix = `CHORUS_${code.toUpperCase()}`
    const hosts = Object.entries(sandboxHosts(hostsOf(manifest, known.options ?? {}), sandbox.url))
    const options = Object.entries(known.options ?? {})
    return {
      CHORUS_OUTBOUND_ALLOW: '127.0.0.0/8',
      [`${prefix}_CLIENT_ID`]: known.clientId,
      [`${prefix}_CLIENT_SECRET`]: `sandbox-${code}-secret`,
      [`${prefix}_HOSTS`]: hosts.map(([role, url]) => `${role}=${url}`).join(','),
      ...Object.fromEntries(options.map(([option, value]) => [`${prefix}_${option.toUpperCase()}`, value])),
      ...more,
    }
  }

  /** Runs the command; what it says can be answered by typing, and logins are allowed in a browser unless told. */
  async function live(
    words: readonly string[],
    environment: NodeJS.ProcessEnv = {},
    {
      typed = [],
      login = (url: string) => void allow(url),
      stopped = () => false,
      onLine = (_: string) => undefined,
    }: {
      typed?: (string | Promise<string>)[]
      login?: (url: string) => void
      stopped?: () => boolean
      onLine?: (line: string) => void
    } = {},
  ) {
    const output: string[] = []
    const code = await runLive(words, {
      environment,
      clock,
      stopped,
      print(line) {
        output.push(line)
        onLine(line)
        const url = /^Open this URL and allow access:\n(.+)$/.exec(line)?.[1]
        if (url) login(url)
      },
      readLine: async () => typed.shift(),
      async wait(milliseconds) {
        passed += milliseconds
      },
    })
    return { code, output: output.join('\n') }
  }
  return { ...sandbox, environmentOf, live }
}

/** Where a browser is sent back to. */
export const consented = async (login: string) => String((await request(`${login}&auto=1`)).headers.location)

const allow = async (login: string) => request(await consented(login))

/** Everything a run has written. */
export async function written(folder: string) {
  const [report = '', facts = '', recording = ''] = await Promise.all(
    ['report.md', 'report.json', 'recording.json'].map((name) => readFile(join(folder, name), 'utf8')),
  )
  return { report, facts, recording, all: report + facts + recording }
}
