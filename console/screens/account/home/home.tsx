import { Bar } from '../../../ui/bar.tsx'
import { useWho } from '../../../wire/session.ts'
import { words } from '../../../words/words.ts'

/** What needs whoever looks. */
export function Home() {
  const { User } = useWho()
  return <Bar title={words.home.greeting(User.Name)} />
}
