// Runs in a process of its own: what attackers and their servers need must not be taken from whoever is measured.
import { randomness } from '../../tests/support/randomness.ts'
import { type Attacker, openAttacker } from './attacker.ts'
import { anonymous } from './attacks/anonymous.ts'
import { bodies } from './attacks/bodies.ts'
import { bombs } from './attacks/bombs.ts'
import { tags, texts } from './attacks/contents.ts'
import { large } from './attacks/large.ts'
import { drips, hung, webhooks } from './attacks/outside.ts'
import { reads } from './attacks/reads.ts'
import { bombFiles } from './bomb-files.ts'
import { openSources } from './sources.ts'
import type { AnswerCounts, AttackName, AttackOrder } from './targets.ts'

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
    const counted: { [answer: string]: number } = {}
    counts[name] = counted
    const attacker = openAttacker({
      targets,
      sources,
      chance: randomness(seed + index),
      // Every attack has users of its own, so that none takes another's calls.
      users: targets.users.filter((_, number) => number % names.length === index),
      count(answer) {
        counted[answer] = (counted[answer] ?? 0) + 1
      },
    })
    attacks[name](attacker).catch((error) => {
      console.error(`${name}:`, error)
      process.exit(1)
    })
  }
  process.send?.('begun')
}
