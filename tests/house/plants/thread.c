/* Two threads count without a lock: for ThreadSanitizer. */
#include <pthread.h>
#include <stddef.h>

static int counter;

static void *count(void *unused)
{
    (void)unused;
    for (int i = 0; i < 1000; i++)
        counter++;
    return NULL;
}

int main(void)
{
    pthread_t other;
    if (pthread_create(&other, NULL, count, NULL)) return 2;
    count(NULL);
    if (pthread_join(other, NULL)) return 2;
    return counter == 12345;
}
