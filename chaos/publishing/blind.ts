import { setTimeout as sleep } from 'node:timers/promises'
import type { Stage } from './stage.ts'

/** The control: somebody who sends again whatever got no answer, without looking whether it is there. */
export function resendBlindly(stage: Stage) {
  let stopping = false
  const done = (async () => {
    while (!stopping) {
      // After a second, so that networks which refuse the same words twice in a row do not hide it.
      await stage.query(`update sends set state = 'waiting', progress = null, intent = null, searches = 0,
        due = now() + interval '1 second' where state = 'unknown'`)
      await sleep(100)
    }
  })()
  return {
    async stop() {
      stopping = true
      await done
    },
  }
}
