// A separate process, so that attackers and their servers do not use resources of the measured service.
import { randomness } from '../../tests/support/randomness.ts'
import { type AnswerCounts, type Attacker, type AttackName, type AttackOrder, openAttacker } from './attacker.ts'
import { anonymous } from './attacks/anonymous.ts'
import { bombs, drips, hung, webhooks } from './attacks/outbound.ts'
import { bodies, tags, texts } from './attacks/payloads.ts'
import { large, reads } from './attacks/reads.ts'
import { bombFiles, openSources } from './sources.ts'

const attacks: { [name in AttackName]: (attacker: Attacker) => Promise<void> } = {
  hung,
  drips,
  bombs,
  bodies,
  tags,
  texts,
  webhooks,
  reads,
  anonymous,
  large,
}

process.once('disconnect', () => process.exit())

const counts: AnswerCounts = {}

process.on('message', (order: AttackOrder | 'stop') => {
  if (order === 'stop') process.send?.(counts, () => process.exit())
  else void begin(order)
})
process.send?.('ready')

async function begin({ names, targets, seed }: AttackOrder) {
  const sources = await openSources(names.includes('bombs') ? await bombFiles() : [])
  for (const [index, name] of names.entries()) {
    const counted: { [response: string]: number } = {}
    counts[name] = counted
    const attacker = openAttacker({
      targets,
      sources,
      random: randomness(seed + index),
      // Every attack has its own users, so that rate limits do not interfere.
      users: targets.users.filter((_, number) => number % names.length === index),
      count(response) {
        counted[response] = (counted[response] ?? 0) + 1
      },
    })
    attacks[name](attacker).catch((error) => {
      console.error(`${name}:`, error)
      process.exit(1)
    })
  }
  process.send?.('begun')
}
