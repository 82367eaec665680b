import { type ChildProcess, fork } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { webhookUrl } from '#areas/profiles/setup/network-setup.ts'
import { systemClock } from '#kernel/clock.ts'
import type { Outbound } from '#kernel/outbound/outbound.ts'
import type { Connector, Grant } from '#networks/connector/connector.ts'
import { manifests } from '#networks/manifests.ts'
import { openNetworks } from '#networks/networks.ts'
import { sandboxProgram } from '../project.ts'
import type { Settings } from '../settings/settings.ts'
import { sandboxApps } from './network-apps.ts'

export interface SandboxProcess {
  readonly url: string
  readonly port: number
  stop(): Promise<void>
}

const restartDelay = 1_000
/** Interval of simulated visitor actions while the demo runs. */
const visitorSeconds = 150

/** Runs the sandbox networks in a separate process, since they are not part of the service. It is replaced if it dies. */
export async function startSandbox({ sandboxPort, sandboxToken, dataDir }: Settings): Promise<SandboxProcess> {
  let isStopping = false
  const run = async (port: number) => {
    const child = forkSandbox(port, sandboxToken, join(dataDir, 'sandbox'))
    const url = await listening(child, port)
    child.once('exit', async () => {
      if (isStopping) return
      process.stderr.write('The sandbox networks ended; starting them again.\n')
      await sleep(restartDelay)
      if (isStopping) return
      run(Number(new URL(url).port)).then(
        (started) => {
          current = started
        },
        ({ message }) => process.stderr.write(`${message}\n`),
      )
    })
    return { child, url }
  }
  let current = await run(sandboxPort)
  return {
    url: current.url,
    port: Number(new URL(current.url).port),
    async stop() {
      isStopping = true
      const { child } = current
      if (child.exitCode !== null || child.signalCode !== null) return
      const ended = new Promise((resolve) => child.once('exit', resolve))
      child.kill('SIGTERM')
      await ended
    },
  }
}

/** Sandbox networks that somebody else runs and stops. */
export const runningSandbox = ({ sandboxPort: port }: Settings): SandboxProcess => ({
  url: `http://127.0.0.1:${port}`,
  port,
  stop: async () => {},
})

const forkSandbox = (port: number, token: string, data: string) =>
  fork(sandboxProgram, ['--port', String(port), '--data', data, '--history', '--visitors', String(visitorSeconds)], {
    env: { CHORUS_SANDBOX_TOKEN: token },
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
    // Ctrl-C reaches every process of the terminal; the service stops this one last.
    detached: true,
  })

function listening(child: ChildProcess, port: number): Promise<string> {
  let output = ''
  // An uncaught error prints source lines, which can contain this message too: only an intentional message counts.
  let errors = ''
  return new Promise((resolve, reject) => {
    child.stdout?.on('data', (data: Buffer) => {
      output += data
      const url = /Sandbox networks on (\S+)/.exec(output)?.[1]
      if (url) resolve(url)
    })
    child.stderr?.on('data', (data: Buffer) => {
      errors += data
    })
    child.once('exit', () => {
      const reason = /Error: (.*)/.exec(errors)?.[1] ?? errors.trim()
      reject(
        new Error(
          `The sandbox networks could not start on port ${port}: ${reason} Set CHORUS_SANDBOX_PORT to another port.`,
        ),
      )
    })
  })
}

/** Logs in to a sandbox network like a user, without the clicks. */
export async function sandboxLogin(connector: Connector, outbound: Outbound, account?: string): Promise<Grant[]> {
  const login = {
    redirectUri: 'http://127.0.0.1/app/connect/callback/',
    state: randomBytes(12).toString('base64url'),
    verifier: randomBytes(48).toString('base64url'),
  }
  const url = new URL(connector.authorizeUrl(login))
  url.searchParams.set('auto', '1')
  if (account !== undefined) url.searchParams.set('account', account)
  const { status, headers } = await outbound.send({ method: 'GET', url: url.href })
  const code = headers.location && new URL(headers.location).searchParams.get('code')
  if (!code) throw new Error(`The sandbox did not let us in; it answered ${status}.`)
  return connector.exchangeCode({ ...login, code })
}

interface Sandbox {
  url: string
  token: string
}

/** Registers the webhook URLs in the sandbox, as an operator does in the dashboards of real apps. */
export async function registerSandboxWebhooks(
  outbound: Outbound,
  { url, token }: Sandbox,
  serviceUrl: string,
): Promise<void> {
  const networks = openNetworks(sandboxApps(url), { outbound, clock: systemClock })
  for (const { network, code } of manifests) {
    const setup = networks.connector(network)?.webhookSetup?.(webhookUrl(serviceUrl, code))
    if (!setup?.isEntered) continue
    const register = () =>
      outbound.send({
        method: 'POST',
        url: `${url}/__sandbox/dashboard`,
        headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
        body: JSON.stringify({ network, ...setup }),
      })
    let { status, body } = await register()
    // Networks wait a few seconds for the answer to a handshake, which a busy machine may exceed.
    for (let tries = 1; status !== 200 && tries < mostTries; tries++) ({ status, body } = await register())
    if (status !== 200) throw new Error(`The sandbox did not take the webhook of ${network}: ${body.toString('utf8')}`)
  }
}

const mostTries = 6
