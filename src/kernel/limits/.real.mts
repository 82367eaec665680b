import { fork } from 'node:child_process'
import pg from 'pg'
import { migrate } from '/work/main/src/kernel/database/migrate.ts'

const mode = process.argv[2] ?? 'plain',
  seconds = Number(process.argv[3] ?? 40),
  P = Number(process.argv[4] ?? 3)
const rules = { second: 60, fiveSeconds: 120, day: 50000, blockSeconds: 3, ...JSON.parse(process.argv[5] ?? '{}') }
const name = `limits_real_${process.pid}`
const admin = new pg.Client('postgres://postgres@127.0.0.1:5599/postgres')
await admin.connect()
await admin.query(`create database ${name} owner owner`)
const url = `postgres://owner@127.0.0.1:5599/${name}`
await migrate(url, '/work/main/migrations')
const log: any[] = []
const reports: string[] = []
const start = () =>
  new Promise<any>((resolve) => {
    const c = fork('/work/main/src/kernel/limits/.child.mts', [url, JSON.stringify(rules)], {
      execArgv: ['--import', 'tsx'],
    })
    c.on('message', (m: any) => {
      if (m.ready) resolve(c)
      if (m.log) log.push(...m.log)
      if (m.report) reports.push(m.report)
    })
  })
const kids: any[] = await Promise.all(Array.from({ length: P }, start))
const users = ['u1', 'u2', 'u3', 'u4', 'u5', 'u6']
const rates = [10, 22, 25, 30, 50, 100]
const end = Date.now() + seconds * 1000
const pick = (u: number) =>
  kids[
    u % 2
      ? Math.floor(Math.random() * kids.length)
      : Math.random() < 0.8
        ? u % kids.length
        : Math.floor(Math.random() * kids.length)
  ]
const timers = users.map((user, u) => {
  const go = () => {
    if (Date.now() > end) return
    const k = pick(u)
    if (k?.connected) k.send({ user, count: Math.random() < 0.05 ? 5 : 1 })
    setTimeout(
      go,
      (-Math.log(Math.random()) * 1000) / (rates[u]! * (0.4 + 0.9 * Math.abs(Math.sin(Date.now() / 4000)))),
    )
  }
  setTimeout(go, 100)
})
const pause = (ms: number) => new Promise((r) => setTimeout(r, ms))
while (Date.now() < end) {
  await pause(2500 + Math.random() * 2000)
  if (mode === 'freeze') {
    const k = kids[Math.floor(Math.random() * kids.length)]
    k.kill('SIGSTOP')
    await pause(300 + Math.random() * 6000)
    k.kill('SIGCONT')
  }
  if (mode === 'restart') {
    const i = Math.floor(Math.random() * kids.length)
    const [k] = kids.splice(i, 1)
    k.send({ stop: true })
    await pause(Math.random() * 500)
    kids.push(await start())
  }
  if (mode === 'kill') {
    const i = Math.floor(Math.random() * kids.length)
    const [k] = kids.splice(i, 1)
    k.kill('SIGKILL')
    await pause(Math.random() * 500)
    kids.push(await start())
  }
}
await pause(4000)
for (const k of kids) k.send({ stop: true })
await pause(1500)
for (const user of users) {
  const mine = log.filter((l) => l[0] === user).sort((a, b) => a[1] - b[1])
  const ok = mine.filter((l) => l[2] === 1).map((l) => l[1])
  let over1 = 0,
    over5 = 0,
    wrong = 0,
    inBlock = 0
  for (let i = 0; i < ok.length; i++) {
    if (i >= rules.second && ok[i] - ok[i - rules.second] < 1000) over1++
    if (i >= rules.fiveSeconds && ok[i] - ok[i - rules.fiveSeconds] < 5000) over5++
  }
  const blocks: number[] = []
  const tooMany = (t: number, n: number, w: number) => {
    const v = [...ok.filter((x) => Math.abs(x - t) < w), t].sort((a, b) => a - b)
    const k = v.lastIndexOf(t)
    for (let last = k; last < v.length; last++) {
      const f = last - n
      if (f >= 0 && v[last]! - v[f]! < w && f <= k) return true
    }
    return false
  }
  for (const l of mine)
    if (l[3] === 'second' || l[3] === 'fiveSeconds') {
      blocks.push(l[1])
      if (!tooMany(l[1], rules.second, 1000) && !tooMany(l[1], rules.fiveSeconds, 5000)) wrong++
    }
  for (const l of mine) {
    const within = blocks.some((b) => l[1] > b && l[1] < b + rules.blockSeconds * 1000)
    const near = blocks.some((b) => l[1] > b - 50 && l[1] < b + rules.blockSeconds * 1000)
    if (l[2] === 1 && within) inBlock++
    if (l[3] === 'block' && !near) wrong++
  }
  const lat = mine.map((l) => l[5]).sort((a, b) => a - b)
  console.log(
    user,
    JSON.stringify({
      calls: mine.length,
      admitted: ok.length,
      errors: mine.filter((l) => l[2] === -1).length,
      blocks: blocks.length,
      sync: mine.filter((l) => l[4]).length,
      over1,
      over5,
      wrong,
      inBlock,
      day: mine.filter((l) => l[3] === 'day').length,
      p50: lat[lat.length >> 1]?.toFixed(2),
      p99: lat[Math.floor(lat.length * 0.99)]?.toFixed(1),
      max: lat.at(-1)?.toFixed(0),
    }),
  )
}
const rows = await (async () => {
  const c = new pg.Client(`postgres://postgres@127.0.0.1:5599/${name}`)
  await c.connect()
  const r = await c.query('select user_id, day_count, cardinality(calls) n from call_limits order by 1')
  await c.end()
  return r.rows
})()
console.log(
  rows.map((r: any) => `${r.user_id}:${r.day_count}`).join(' '),
  'reports',
  reports.length,
  reports.slice(0, 3),
)
await admin.query(`drop database if exists ${name} with (force)`)
await admin.end()
process.exit(0)
