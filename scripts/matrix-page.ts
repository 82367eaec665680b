import { manifests } from '#networks/manifests.ts'
import { kindNames, kinds, type Outcome, outcomeOf } from '../tests/networks/matrix/outcomes.ts'
import { type Setup, setups } from '../tests/networks/matrix/setups.ts'

/** docs/networks/matrix.md, from the manifests and the content check; `tests/networks/matrix.test.ts` tries each cell. */
export function matrixPage(): string {
  const offered = setups.filter(({ isNotOffered }) => !isNotOffered)
  const outcomes = offered.flatMap((setup) => kindNames.map((kind) => outcomeOf(setup, kind)))
  const count = (state: Outcome['state']) => outcomes.filter((outcome) => outcome.state === state).length
  return [
    '# What works with which app and role',
    '',
    'Written by `npm run generate` from the manifests and the content check. `tests/networks/matrix.test.ts` tries every cell: it logs in to the',
    'sandbox with that app and role and saves the content over HTTP. What works is then sent, and the sandbox takes it; what is gated is sent past the gate,',
    'and the sandbox refuses it.',
    '',
    `${outcomes.length} cells: ${count('works')} work, ${count('refused')} are refused when they are saved, ${count('gated')} are gated by a permission, role or plan.`,
    'A refusal has a number that is explained below the table; a gate has a letter, and its sentence is also shown with the profile (`GET /app/api/credential/{id}/health`).',
    'A number behind `yes` says what is special.',
    '',
    ...manifests.flatMap(({ network, name }) => [`## ${name}`, '', ...tableOf(network), '']),
  ].join('\n')
}

function tableOf(network: Setup['network']): string[] {
  const [notes, gates]: [string[], string[]] = [[], []]
  const own = setups.filter((setup) => setup.network === network)
  const rows = own
    .filter(({ isNotOffered }) => !isNotOffered)
    .map((setup) => {
      const cells = kindNames.map((kind) => cellOf(outcomeOf(setup, kind), notes, gates))
      return `| ${setup.recipe} | ${nameOf(setup)} | ${cells.join(' | ')} |`
    })
  return [
    `| Recipe | Role | ${kindNames.map((kind) => kinds[kind]).join(' | ')} |`,
    `|---|---|${kindNames.map(() => '---|').join('')}`,
    ...rows,
    '',
    ...notes.map((note, index) => `${index + 1}. ${note}`),
    ...(gates.length > 0 ? [''] : []),
    ...gates.map((gate, index) => `- **${letterOf(index)}** ${gate}`),
    ...notOffered(own),
  ]
}

const nameOf = ({ kind, role }: Setup) => (kind === 'page' && role !== 'every task' ? `page: ${role}` : role)

function cellOf(outcome: Outcome, notes: string[], gates: string[]): string {
  if (outcome.state === 'gated') {
    const open = outcome.gate.unless === 'mentioned' ? ' Replies to people who named the account work.' : ''
    return `gated ${letterOf(placeIn(gates, outcome.sentence + open))}`
  }
  if (outcome.state === 'refused') return `refused (${placeIn(notes, outcome.sentence) + 1})`
  return outcome.note === undefined ? 'yes' : `yes (${placeIn(notes, outcome.note) + 1})`
}

function placeIn(list: string[], sentence: string): number {
  if (!list.includes(sentence)) list.push(sentence)
  return list.indexOf(sentence)
}

const letterOf = (index: number) => String.fromCharCode(97 + index)

function notOffered(own: readonly Setup[]): string[] {
  const roles = own.filter(({ isNotOffered }) => isNotOffered).map(({ role }) => role)
  return roles.length > 0
    ? ['', `Not offered when somebody connects: pages where the role is ${roles.join(', ')}.`]
    : []
}
