import { setTimeout as sleep } from 'node:timers/promises'
import { startReceiver } from '../../tests/support/outside/receiver.ts'
import { patiently } from '../patience.ts'
import { connectProfiles, kinds } from '../publishing/profiles.ts'
import type { RunOptions } from '../publishing/run-options.ts'
import { openStage } from '../publishing/stage.ts'
import { spread } from '../publishing/waiting.ts'

interface TimesOptions extends Pick<RunOptions, 'programs' | 'databases' | 'inside' | 'say'> {
  pushed: number
  silent: number
  pollSeconds: number
}

/** From somebody's comment at a network to the call of a webhook: where the network pushes, and where it has to be asked. */
export async function arrivalTimes({ pushed, silent, pollSeconds, say = () => {}, ...rest }: TimesOptions) {
  const environment = { CHORUS_POLL_SECONDS: String(pollSeconds), CHORUS_OUTBOUND_ALLOW: '127.0.0.0/8' }
  const stage = await openStage({ ...rest, latency: [10, 50], environment })
  const heard = new Map<string, number>()
  const receiver = await startReceiver((response, { body }) => {
    const text = JSON.parse(body).data[0]?.Data?.CommentContent?.Text
    if (!heard.has(text)) heard.set(text, performance.now())
    response.end()
  })
  try {
    await stage.admin('POST /webhook', { body: { name: 'Times', url: receiver.url, event: 'newInboxItem' } })
    const [profile] = await connectProfiles(stage, [kinds.facebook])
    const inject = (told: object) =>
      stage.control('/inject', { network: 'Facebook', profile: profile?.remoteId, ...told }) as Promise<{
        remoteId: string
      }>
    const { remoteId: postRemoteId } = await inject({ kind: 'post', own: true, text: 'A post' })
    const worker = await patiently(() => stage.startWorker())
    const isSubscribed = async () =>
      (await stage.query('select from inbox_profiles where credential_id = $1 and push_renew is null', [profile?.id]))
        .length > 0
    while (!(await isSubscribed())) await sleep(100)
    const timeOf = async (text: string, push: boolean) => {
      const begun = performance.now()
      await inject({ kind: 'comment', postRemoteId, text, push })
      while (!heard.has(text)) await sleep(5)
      return Math.round((heard.get(text) as number) - begun)
    }
    const times = { pushed: [] as number[], silent: [] as number[] }
    for (let number = 0; number < pushed; number++) times.pushed.push(await timeOf(`Pushed ${number}`, true))
    say(`${pushed} were pushed`)
    for (let number = 0; number < silent; number++) times.silent.push(await timeOf(`Silent ${number}`, false))
    await worker.stop()
    return { pollSeconds, pushed: spread(times.pushed), silent: spread(times.silent) }
  } finally {
    await receiver.stop()
    await stage.stop()
  }
}
