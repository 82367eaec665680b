import { formatList, formatRelativeTime } from '@/i18n/format.ts'
import { texts } from '@/i18n/texts.ts'
import { hrefWith } from '@/routes/router.ts'
import { now, parseTimestamp } from '@/time/days.ts'
import { NetworkIcon, networkName, StatusBadge, StatusIcon } from '@/ui/badges.tsx'
import { Button } from '@/ui/button.tsx'
import { Icon } from '@/ui/icons.tsx'
import { dueOf, type Item, itemStatus, networksOf, statusText } from './approval-item.ts'
import * as styles from './approvals.module.css'

interface ItemListProps {
  items: readonly Item[]
  total: number
  openId: string
  /** Undefined if the user can't decide on any item. */
  selected: ReadonlySet<string> | undefined
  problems: ReadonlyMap<string, string>
  onSelect: (id: string, isRange: boolean) => void
  onMore: () => void
}

export function ItemList({ items, total, openId, selected, problems, onSelect, onMore }: ItemListProps) {
  return (
    <nav className={styles.list} aria-label={texts.approvals.list}>
      <ul>
        {items.map((item) => (
          <li
            key={item.Id}
            data-testid="approval-row"
            className={styles.row}
            data-open={item.Id === openId || undefined}
          >
            {selected && (
              <input
                type="checkbox"
                className={styles.pick}
                aria-label={texts.ui.select(titleOf(item))}
                checked={selected.has(item.Id)}
                onClick={(event) => onSelect(item.Id, event.shiftKey)}
                onChange={() => {}}
              />
            )}
            <Row item={item} isOpen={item.Id === openId} problem={problems.get(item.Id)} />
          </li>
        ))}
      </ul>
      {items.length < total && <Button onClick={onMore}>{texts.approvals.more}</Button>}
    </nav>
  )
}

const titleOf = ({ Text }: Item) => Text.split('\n', 1)[0] || texts.approvals.withoutText

function Row({ item, isOpen, problem }: { item: Item; isOpen: boolean; problem: string | undefined }) {
  const networks = networksOf(item)
  const [only] = networks
  const t = texts.approvals
  return (
    <a
      data-testid="approval-link"
      className={styles.link}
      href={hrefWith({ item: item.Id })}
      aria-current={isOpen ? 'true' : undefined}
      data-item={item.Id}
    >
      <span className={styles.head}>
        {only && networks.length === 1 ? <NetworkIcon network={only} label /> : <Icon name="advocacy" />}
        <span className={styles.title} dir="auto">
          {titleOf(item)}
        </span>
        <StatusIcon status={itemStatus(item)} />
      </span>
      <span className={styles.about}>
        {[networks.length !== 1 && t.on(formatList(networks.map(networkName))), item.CreatedByName, dueIn(item)]
          .filter(Boolean)
          .join(' · ')}
      </span>
      <span className={styles.about}>
        {item.Status === 'pending'
          ? `${t.stepOf(item.Step, item.Steps)}${item.StepName && ` · ${item.StepName}`}`
          : `${statusText(item)} ${formatRelativeTime(parseTimestamp(item.Modified), now())}`}
      </span>
      {(item.DueState === 'tight' || item.DueState === 'over') && (
        <span>
          <StatusBadge status={item.DueState === 'over' ? 'failed' : 'waiting'}>
            {t.dueState[item.DueState]}
          </StatusBadge>
        </span>
      )}
      {problem && (
        <span data-testid="approval-problem" className={styles.problem} role="alert">
          {problem}
        </span>
      )}
    </a>
  )
}

function dueIn(item: Item): string {
  const due = dueOf(item)
  if (due === undefined || item.Status !== 'pending') return ''
  const timeLeft = formatRelativeTime(due, now())
  return due < now() ? texts.approvals.wasDue(timeLeft) : texts.approvals.due(timeLeft)
}
