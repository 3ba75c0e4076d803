import Glibc

func setEnvironment(_ name: String, _ value: String) {
    let code = unsafe setenv(name, value, 1)
    precondition(code == 0)
}
