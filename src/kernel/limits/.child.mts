import { openDatabase } from '/work/main/src/kernel/database/database.ts'
import { openListener } from '/work/main/src/kernel/database/listener.ts'
import { openLimits } from '/work/main/src/kernel/limits/limits.ts'

const url = process.argv[2]!,
  rules = JSON.parse(process.argv[3]!)
let first: number | undefined,
  want = false
const clock = {
  now: () => {
    const d = new Date()
    if (want) {
      first = d.getTime()
      want = false
    }
    return d
  },
}
const database = openDatabase({ url, connections: 5 })
const listener = await openListener(url)
const limits = await openLimits({
  database,
  listener,
  clock,
  rules,
  report: (e) => process.send!({ report: String(e) }),
})
process.send!({ ready: true })
let buffer: any[] = []
setInterval(() => {
  if (buffer.length) {
    process.send!({ log: buffer })
    buffer = []
  }
}, 50)
process.on('message', async (m: any) => {
  if (m.stop) {
    await limits.close()
    process.send!({ log: buffer })
    await listener.close()
    await database.close()
    setTimeout(() => process.exit(0), 20)
    return
  }
  for (let i = 0; i < (m.count ?? 1); i++) {
    want = true
    const t0 = performance.now()
    try {
      const a = limits.admit('001aaaaaaaaaaaa', m.user)
      const at = first!
      const sync = !(a instanceof Promise)
      Promise.resolve(a).then(
        (s) => buffer.push([m.user, at, s.admitted ? 1 : 0, s.reason ?? '', sync ? 1 : 0, performance.now() - t0]),
        (e) => buffer.push([m.user, at, -1, String(e), 0, 0]),
      )
    } catch (e) {
      process.send!({ report: 'sync ' + e })
    }
  }
})
