import { QueryClientProvider } from '@tanstack/react-query'
import { RouterProvider } from '@tanstack/react-router'
import { router } from '../router.ts'
import { queryClient } from './query-client.ts'
import { SignedIn } from './SignedIn.tsx'

export function App() {
  return (
    <QueryClientProvider client={queryClient}>
      {/* the only page without a session; leaving it loads a new document */}
      {location.pathname === '/signed-out' ? (
        <RouterProvider router={router} />
      ) : (
        <SignedIn>
          <RouterProvider router={router} />
        </SignedIn>
      )}
    </QueryClientProvider>
  )
}
