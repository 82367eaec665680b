import { distance, list } from '@/i18n/format.ts'
import { words } from '@/i18n/texts.ts'
import { withSearch } from '@/routes/router.ts'
import { momentOf, now } from '@/time/days.ts'
import { NetworkMark, networkName, StatusMark, StatusSign } from '@/ui/badges.tsx'
import { Button } from '@/ui/button.tsx'
import { Icon } from '@/ui/icons.tsx'
import { dueOf, type Item, networksOf, signOf, statusWord } from './approval-item.ts'

interface ItemListProps {
  items: readonly Item[]
  total: number
  openId: string
  /** Undefined where nothing can be decided. */
  selected: ReadonlySet<string> | undefined
  problems: ReadonlyMap<string, string>
  onSelect: (id: string, isRange: boolean) => void
  onMore: () => void
}

/** What waits, or was decided, one below the other. */
export function ItemList({ items, total, openId, selected, problems, onSelect, onMore }: ItemListProps) {
  return (
    <nav className="approval-list" aria-label={words.approvals.list}>
      <ul>
        {items.map((item) => (
          <li key={item.Id} className="approval-row" data-open={item.Id === openId || undefined}>
            {selected && (
              <input
                type="checkbox"
                className="approval-pick"
                aria-label={words.ui.select(titleOf(item))}
                checked={selected.has(item.Id)}
                onClick={(event) => onSelect(item.Id, event.shiftKey)}
                onChange={() => {}}
              />
            )}
            <Row item={item} isOpen={item.Id === openId} problem={problems.get(item.Id)} />
          </li>
        ))}
      </ul>
      {items.length < total && <Button onClick={onMore}>{words.approvals.more}</Button>}
    </nav>
  )
}

const titleOf = ({ Text }: Item) => Text.split('\n', 1)[0] || words.approvals.withoutText

function Row({ item, isOpen, problem }: { item: Item; isOpen: boolean; problem: string | undefined }) {
  const networks = networksOf(item)
  const [only] = networks
  const w = words.approvals
  return (
    <a
      className="approval-link"
      href={withSearch({ item: item.Id })}
      aria-current={isOpen ? 'true' : undefined}
      data-item={item.Id}
    >
      <span className="approval-head">
        {only && networks.length === 1 ? <NetworkMark network={only} label /> : <Icon name="advocacy" />}
        <span className="approval-title" dir="auto">
          {titleOf(item)}
        </span>
        <StatusSign status={signOf(item)} />
      </span>
      <span className="approval-about">
        {[networks.length !== 1 && w.on(list(networks.map(networkName))), item.CreatedByName, dueIn(item)]
          .filter(Boolean)
          .join(' · ')}
      </span>
      <span className="approval-about">
        {item.Status === 'pending'
          ? `${w.stepOf(item.Step, item.Steps)}${item.StepName && ` · ${item.StepName}`}`
          : `${statusWord(item)} ${distance(momentOf(item.Modified), now())}`}
      </span>
      {(item.DueState === 'tight' || item.DueState === 'over') && (
        <span>
          <StatusMark status={item.DueState === 'over' ? 'failed' : 'waiting'}>{w.dueState[item.DueState]}</StatusMark>
        </span>
      )}
      {problem && (
        <span className="approval-problem" role="alert">
          {problem}
        </span>
      )}
    </a>
  )
}

function dueIn(item: Item): string {
  const due = dueOf(item)
  if (due === undefined || item.Status !== 'pending') return ''
  const away = distance(due, now())
  return due < now() ? words.approvals.wasDue(away) : words.approvals.due(away)
}
