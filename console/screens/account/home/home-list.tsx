import { type ReactNode, useId } from 'react'
import { leadsSomewhere } from '../../../shell/router.ts'
import { number } from '../../../words/format.ts'
import { words } from '../../../words/words.ts'

interface ListProps {
  title: string
  total: number
  /** What stands there when there is nothing. */
  empty: ReactNode
  children: ReactNode
  /** How many are not shown, and where they are. */
  more?: { count: number; href: string }
}

/** One of the lists of home. */
export function HomeList({ title, total, empty, children, more }: ListProps) {
  const id = useId()
  return (
    <section className="home-list" aria-labelledby={id}>
      <h2 id={id}>
        {title} {total > 0 && <span className="home-count number">{number(total)}</span>}
      </h2>
      {total === 0 ? <div className="home-empty">{empty}</div> : <ul>{children}</ul>}
      {more && more.count > 0 && <MaybeLink href={more.href}>{words.home.more(more.count)}</MaybeLink>}
    </section>
  )
}

interface RowProps {
  href: string
  sign: ReactNode
  children: ReactNode
  /** When, or how it stands. */
  about: ReactNode
}

/** One thing, with what there is to know of it; it leads to where something can be done. */
export const HomeRow = ({ href, sign, children, about }: RowProps) => (
  <li className="home-row">
    {sign}
    <span className="home-words">
      <MaybeLink href={href}>
        <span className="home-text" dir="auto">
          {children}
        </span>
      </MaybeLink>
      <small>{about}</small>
    </span>
  </li>
)

/** A link, where the screen is one that whoever looks may enter. */
const MaybeLink = ({ href, children }: { href: string; children: ReactNode }) =>
  leadsSomewhere(href) ? <a href={href}>{children}</a> : <span>{children}</span>
